import { diffArrays } from 'diff';

/**
 * One entry of a diff. The item is in both sequences (`same`), only in the first (`removed`) or only in the second
 * (`added`).
 */
export type DiffEntry<T> =
  | { kind: 'same'; before: T; after: T }
  | { kind: 'removed'; before: T }
  | { kind: 'added'; after: T };

/**
 * Computes the shortest diff of two sequences. In each changed block, the removed items come first.
 * @param key returns a text for an item; items with the same text count as equal
 */
export function diffSequences<T>(before: readonly T[], after: readonly T[], key: (item: T) => string): DiffEntry<T>[] {
  const left = before.values();
  const right = after.values();
  const next = (items: Iterator<T>): T => items.next().value as T;
  return diffArrays(before.map(key), after.map(key)).flatMap(({ added, removed, value }) =>
    value.map((): DiffEntry<T> => {
      if (added) return { kind: 'added', after: next(right) };
      if (removed) return { kind: 'removed', before: next(left) };
      return { kind: 'same', before: next(left), after: next(right) };
    }),
  );
}
