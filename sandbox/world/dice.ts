/**
 * Random numbers without a state. A draw is a pure function of the seed, a tag and one or two numbers. The tag stands
 * for an attribute. The numbers are the company, and a version or year. So the order of the draws makes no difference.
 */
export class Dice {
  readonly #seed: number;
  readonly #clones: number;
  readonly #cloned: Uint8Array;

  /**
   * @param clones Number of companies that are clones, counted from the first. For each tag in `cloned`, all clones
   * draw the same value.
   */
  constructor(seed: number, clones = 0, cloned: readonly number[] = []) {
    this.#seed = mix(Math.imul(seed | 0, 0x9e3779b1) ^ 0x5bf03635);
    this.#clones = clones;
    this.#cloned = new Uint8Array(256);
    for (const tag of cloned) this.#cloned[tag] = 1;
  }

  /** Returns a whole number in [0, 2^32). */
  draw(tag: number, a: number, b = 0): number {
    const who = a < this.#clones && this.#cloned[tag] === 1 ? 0 : a;
    const h = mix(this.#seed ^ Math.imul(tag, 0x85ebca6b) ^ who);
    return mix(h ^ Math.imul(b + 1, 0xc2b2ae35)) >>> 0;
  }

  /** Returns a number in [0, 1). */
  unit(tag: number, a: number, b = 0): number {
    return this.draw(tag, a, b) / 4294967296;
  }

  /** Returns a whole number in [0, n). */
  below(n: number, tag: number, a: number, b = 0): number {
    return Math.floor(this.unit(tag, a, b) * n);
  }

  /** Returns true with probability `p`. */
  chance(p: number, tag: number, a: number, b = 0): boolean {
    return this.unit(tag, a, b) < p;
  }

  /** Returns one item of a list. The list must not be empty. */
  pick<T>(list: readonly T[], tag: number, a: number, b = 0): T {
    return list[this.below(list.length, tag, a, b)] as T;
  }

  /**
   * Returns a number in [-3.46, 3.46] with approximately a standard normal distribution, computed from the sum of four
   * random bytes.
   */
  normal(tag: number, a: number, b = 0): number {
    const h = this.draw(tag, a, b);
    const sum = (h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + (h >>> 24);
    return (sum - 510) / 147.8;
  }
}

/** Mixes the bits of a 32-bit integer (lowbias32). Different inputs always give different outputs. */
function mix(value: number): number {
  let h = value;
  h ^= h >>> 16;
  h = Math.imul(h, 0x7feb352d);
  h ^= h >>> 15;
  h = Math.imul(h, 0x846ca68b);
  return h ^ (h >>> 16);
}
