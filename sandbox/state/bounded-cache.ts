/** Estimated memory that each entry needs in addition to its content, in bytes. */
const ENTRY_BYTES = 200;

/** A map with a limit in bytes. To stay below the limit, it deletes the oldest entries, but never the newest one. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, { value: V; bytes: number }>();
  readonly #most: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Adds an entry. The map must not contain the key yet. `bytes` is the estimated size of the entry. */
  add(key: K, value: V, bytes: number): void {
    this.#entries.set(key, { value, bytes: bytes + ENTRY_BYTES });
    this.#bytes += bytes + ENTRY_BYTES;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#most || oldest === key) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  *values(): Generator<V> {
    for (const { value } of this.#entries.values()) yield value;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
