/** Random numbers in [0, 1) from a seed: mulberry32. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Random index 0…n-1 with a Zipf-like distribution; 0 is the most common. */
export function skewed(random: () => number, n: number): number {
  return Math.min(n - 1, Math.floor((n + 1) ** random() - 1));
}
