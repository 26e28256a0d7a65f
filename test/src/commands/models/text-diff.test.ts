import { expect, test } from 'vitest';
import { diffTexts } from '../../../../src/commands/models/text-diff.js';

const lines = (...numbers: (number | string)[]) => `${numbers.join('\n')}\n`;

test('the same text differs in nothing', () => {
  expect(diffTexts(lines(1, 2), lines(1, 2))).toEqual([]);
});

test('each change stands among three lines that stayed; where lines are left out, it says at which line it goes on', () => {
  expect(
    diffTexts(lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), lines(1, 'two', 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14)),
  ).toEqual([' 1', '-2', '+two', ' 3', ' 4', ' 5', '@@ line 9 @@', ' 9', ' 10', ' 11', '-12', ' 13', '+14']);
});
