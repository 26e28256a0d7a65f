import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { drawSample, wilsonInterval } from '../helpers/sample.js';
import { keyOf, rangeOf, type Mutant } from './mutants.js';

const mutants = Array.from({ length: 50 }, (_, line): Mutant => ({
  file: 'a.ts',
  mutatorName: 'StringLiteral',
  replacement: '""',
  location: { start: { line: line + 1, column: 3 }, end: { line: line + 1, column: 9 } },
}));

it('draws the same mutants for the same seed, others for another', () => {
  const first = drawSample(mutants, 10, '1', keyOf);
  expect(new Set(first).size).toBe(10);
  expect(drawSample(mutants.toReversed(), 10, '1', keyOf)).toEqual(first);
  expect(drawSample(mutants, 10, '2', keyOf)).not.toEqual(first);
});

it('draws all of a small folder', () => {
  expect(drawSample(mutants, 80, '1', keyOf)).toHaveLength(50);
});

it('names ranges as Stryker reads them: lines from 1, columns from 0', () => {
  expect(rangeOf(mutants[4]!)).toBe('a.ts:5:2-5:8');
});

it('gives the 95 % interval of a share', () => {
  expect(wilsonInterval(80, 100).map((each) => each.toFixed(3))).toEqual(['0.711', '0.867']);
  expect(wilsonInterval(20, 20).map((each) => each.toFixed(3))).toEqual(['0.839', '1.000']);
  expect(wilsonInterval(0, 0)).toEqual([0, 1]);
});

it('ignores only patterns with a leading slash, so that no subfolder is excluded', () => {
  const text = readFileSync(new URL('stryker.config.json', import.meta.url), 'utf8');
  const { ignorePatterns } = JSON.parse(text) as { ignorePatterns: string[] };
  expect(ignorePatterns.filter((pattern) => !pattern.startsWith('/'))).toEqual([]);
});
