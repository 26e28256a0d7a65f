import { expect, test } from 'vitest';
import { diffTexts } from '../../../../src/cli/models/text-diff.js';

const lines = (...numbers: (number | string)[]) => `${numbers.join('\n')}\n`;

test('finds no difference between equal texts', () => {
  expect(diffTexts(lines(1, 2), lines(1, 2))).toEqual([]);
});

test('shows three lines around each change and marks omitted lines', () => {
  expect(
    diffTexts(lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), lines(1, 'two', 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14)),
  ).toEqual([' 1', '-2', '+two', ' 3', ' 4', ' 5', '@@ line 9 @@', ' 9', ' 10', ' 11', '-12', ' 13', '+14']);
});
