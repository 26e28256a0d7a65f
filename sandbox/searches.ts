/** Numbers kept at most: 16 MB. */
const MAX_KEPT = 4_000_000;

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
    this.#kept += found.length;
    for (const [oldest, result] of this.#results) {
      if (this.#kept <= MAX_KEPT || oldest === key) break;
      this.#results.delete(oldest);
      this.#kept -= result.length;
    }
    return found;
  }

  clear(): void {
    this.#results.clear();
    this.#kept = 0;
  }
}
