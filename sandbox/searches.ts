/** Bytes kept at most. */
const MAX_KEPT = 16_000_000;
/** What an entry takes besides its key and its numbers, roughly. */
const ENTRY = 200;

/** Results of the latest searches of the day, so that page 2 need not search again. */
export class Searches {
  readonly #results = new Map<string, Uint32Array>();
  #kept = 0;

  /** The result kept under `key`, or what `search` finds. */
  find(key: string, search: () => Uint32Array): Uint32Array {
    const known = this.#results.get(key);
    if (known) return known;
    const found = search();
    this.#results.set(key, found);
    this.#kept += sizeOf(key, found);
    for (const [oldest, result] of this.#results) {
      if (this.#kept <= MAX_KEPT || oldest === key) break;
      this.#results.delete(oldest);
      this.#kept -= sizeOf(oldest, result);
    }
    return found;
  }

  clear(): void {
    this.#results.clear();
    this.#kept = 0;
  }
}

/** Keys count too: a search that finds nothing may be a megabyte long. */
function sizeOf(key: string, found: Uint32Array): number {
  return ENTRY + key.length * 2 + found.byteLength;
}
