import { Latest } from './latest.js';

const KEPT_BYTES = 16_000_000;

/** Results of the latest searches of the day, so that page 2 need not search again. */
export class Searches {
  readonly #results = new Latest<string, Uint32Array>(KEPT_BYTES);

  /** The result kept under `key`, or what `search` finds. */
  find(key: string, search: () => Uint32Array): Uint32Array {
    const known = this.#results.get(key);
    if (known) return known;
    const found = search();
    // Keys count too: what finds nothing may be asked for at length.
    this.#results.add(key, found, key.length * 2 + found.byteLength);
    return found;
  }

  clear(): void {
    this.#results.clear();
  }
}
