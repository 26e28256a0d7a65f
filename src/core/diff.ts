/**
 * One entry of a diff. The item is in both sequences (`same`), only in the first (`removed`) or only in the second
 * (`added`).
 */
export type DiffEntry<T> =
  | { kind: 'same'; before: T; after: T }
  | { kind: 'removed'; before: T }
  | { kind: 'added'; after: T };

/**
 * Computes the shortest diff of two sequences (longest common subsequence). Time and memory grow with the product of
 * the two lengths, so use it only for some hundred items.
 * @param key returns a text for an item; items with the same text count as equal
 */
export function diffSequences<T>(before: readonly T[], after: readonly T[], key: (item: T) => string): DiffEntry<T>[] {
  const left = before.map(key);
  const right = after.map(key);
  const common = commonLengths(left, right);
  const entries: DiffEntry<T>[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      entries.push({ kind: 'same', before: before[i++] as T, after: after[j++] as T });
    } else if (j >= right.length || (i < left.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      entries.push({ kind: 'removed', before: before[i++] as T });
    } else {
      entries.push({ kind: 'added', after: after[j++] as T });
    }
  }
  return entries;
}

/**
 * Returns a table. The entry `[i][j]` is the length of the longest common subsequence of two parts: `left` from index
 * i, and `right` from index j.
 */
function commonLengths(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[];
      row[j] =
        left[i] === right[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly number[][], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
