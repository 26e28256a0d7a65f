// Random samples for tests of quality, and how sure their scores are.
import { createHash } from 'node:crypto';

/** Picks `size` items. The same seed picks the same ones, whatever their order; `keyOf` names an item. */
export function drawSample<Item>(
  items: readonly Item[],
  size: number,
  seed: string,
  keyOf: (item: Item, at: number) => string,
): Item[] {
  const rank = (item: Item, at: number): string =>
    createHash('sha256')
      .update(`${seed} ${keyOf(item, at)}`)
      .digest('hex');
  return items
    .map((item, at) => ({ item, rank: rank(item, at) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ item }) => item);
}

/** The 95 % interval of a share, after Wilson: from 0 to 1. */
export function wilsonInterval(hits: number, of: number): [low: number, high: number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const middle = hits + z ** 2 / 2;
  const half = z * Math.sqrt((hits * (of - hits)) / of + z ** 2 / 4);
  return [(middle - half) / (of + z ** 2), (middle + half) / (of + z ** 2)];
}
