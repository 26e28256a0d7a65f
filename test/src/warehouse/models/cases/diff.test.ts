import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffSequences, type DiffEntry } from '../../../../../src/warehouse/models/cases/diff.js';

const diff = (before: string, after: string) => diffSequences(before.split(''), after.split(''), (letter) => letter);

const written = (entries: DiffEntry<string>[]): string =>
  entries
    .map((entry) => {
      if (entry.kind === 'same') return ` ${entry.before}`;
      return entry.kind === 'removed' ? `-${entry.before}` : `+${entry.after}`;
    })
    .join('');

test.each([
  ['', '', ''],
  ['ab', 'ab', ' a b'],
  ['ab', 'b', '-a b'],
  ['b', 'bc', ' b+c'],
  ['abcd', 'axcy', ' a-b+x c-d+y'],
  ['ab', 'xy', '-a-b+x+y'],
])('finds the shortest diff from %j to %j', (before, after, expected) => {
  expect(written(diff(before, after))).toBe(expected);
});

test('names removed, added and kept items', () => {
  expect(diff('ac', 'bc')).toEqual([
    { kind: 'removed', before: 'a' },
    { kind: 'added', after: 'b' },
    { kind: 'same', before: 'c', after: 'c' },
  ]);
});

test('restores both sides from a diff that is as short as possible', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (before, after) => {
      const entries = diff(before, after);
      expect(entries.map((entry) => (entry.kind === 'added' ? '' : entry.before)).join('')).toBe(before);
      expect(entries.map((entry) => (entry.kind === 'removed' ? '' : entry.after)).join('')).toBe(after);
      expect(entries.filter((entry) => entry.kind === 'same')).toHaveLength(longestCommon(before, after));
    }),
  );
});

/** Tries every subset of letters. */
function longestCommon(left: string, right: string): number {
  let longest = 0;
  for (let mask = 0; mask < 2 ** left.length; mask++) {
    const kept = left.split('').filter((_, i) => (mask >> i) % 2 === 1);
    let from = 0;
    const isWithin = kept.every((letter) => (from = right.indexOf(letter, from) + 1) > 0);
    if (isWithin) longest = Math.max(longest, kept.length);
  }
  return longest;
}
