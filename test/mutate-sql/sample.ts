import { createHash } from 'node:crypto';

/** Some of the items, in their order: always the same for one seed. */
export function sampleOf<Item>(items: readonly Item[], size: number, seed: string): Item[] {
  const ranked = items.map((item, at) => ({
    item,
    at,
    rank: createHash('sha256').update(`${seed} ${at}`).digest('hex'),
  }));
  const chosen = ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, size);
  return chosen.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

/** Wilson's 95 % interval of a share, from 0 to 1. */
export function wilson(hits: number, of: number): [number, number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const middle = hits + (z * z) / 2;
  const spread = z * Math.sqrt((hits * (of - hits)) / of + (z * z) / 4);
  return [(middle - spread) / (of + z * z), (middle + spread) / (of + z * z)];
}
