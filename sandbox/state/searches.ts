import { BoundedCache } from './bounded-cache.js';

const KEPT_BYTES = 16_000_000;

/**
 * Cache of search results, so that the second page needs no new search. It is cleared on each new day of the market.
 */
export class Searches {
  readonly #results = new BoundedCache<string, Uint32Array>(KEPT_BYTES);

  /** Returns the cached result of `key`, or runs `search` and caches its result. */
  find(key: string, search: () => Uint32Array): Uint32Array {
    const known = this.#results.get(key);
    if (known) return known;
    const found = search();
    // Count the bytes of the key, too, because a search without results may have a long key.
    this.#results.add(key, found, key.length * 2 + found.byteLength);
    return found;
  }

  clear(): void {
    this.#results.clear();
  }
}
