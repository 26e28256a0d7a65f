/** What an entry takes besides what it is said to, roughly. */
const ENTRY_BYTES = 200;

/** A map that forgets its oldest entries rather than outgrow its bytes; the newest stays, however large. */
export class Latest<K, V> {
  readonly #entries = new Map<K, { value: V; bytes: number }>();
  readonly #most: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Adds an entry that was not there; `bytes` is about what it holds. */
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
