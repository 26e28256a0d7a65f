import type { SandboxOptions } from '../options.js';

/**
 * Order of search results. By default, results are sorted by id, the same in every answer. With `shuffled`, each answer
 * has another order. This order is derived from the seed and the number of earlier answers. So a row may be on two
 * pages or on no page.
 */
export class ResultOrder {
  readonly #shuffled: boolean;
  #state: number;

  constructor({ order, seed }: Pick<SandboxOptions, 'order' | 'seed'>) {
    this.#shuffled = order === 'shuffled';
    this.#state = seed % 1_000_003;
  }

  /**
   * Returns the order of the next answer as a function. It takes a position and returns the row at this position. Rows
   * are numbered from 0 to `total - 1`, sorted by id.
   */
  next(total: number): (place: number) => number {
    if (!this.#shuffled || total < 2) return (place) => place;
    const stride = this.#draw(total);
    const start = this.#draw(total);
    // If 1 is the only common divisor of the stride and `total`, every row is visited exactly once.
    const coprime = firstCoprime(stride, total);
    return (place) => (start + place * coprime) % total;
  }

  /** Returns a random whole number in [0, n). `n` may be a few million. */
  #draw(n: number): number {
    this.#state = (this.#state * 48_271 + 11) % 2_147_483_647;
    return this.#state % n;
  }
}

function firstCoprime(from: number, n: number): number {
  for (let candidate = Math.max(1, from); ; candidate++) if (greatestDivisor(candidate, n) === 1) return candidate;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
