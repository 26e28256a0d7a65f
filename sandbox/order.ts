import type { SandboxOptions } from './options.js';

/**
 * The order of search results. Unless told otherwise it is by id, the same in every answer. `shuffled`: another one with
 * each answer, made from the seed and the number of answers so far, so that a row may be on two pages or on none.
 */
export class ResultOrder {
  readonly #shuffled: boolean;
  #state: number;

  constructor({ order, seed }: Pick<SandboxOptions, 'order' | 'seed'>) {
    this.#shuffled = order === 'shuffled';
    this.#state = seed % 1_000_003;
  }

  /** Of each place in the next answer, which of `total` rows (by id) is there. */
  next(total: number): (place: number) => number {
    if (!this.#shuffled || total < 2) return (place) => place;
    const stride = this.#draw(total);
    const start = this.#draw(total);
    // A stride without common divisor visits every row once.
    const coprime = firstCoprime(stride, total);
    return (place) => (start + place * coprime) % total;
  }

  /** A whole number in [0, n), n up to some millions. */
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
