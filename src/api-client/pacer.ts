/** Spreads request starts evenly: each call of `reserve` books the next free instant. */
export class Pacer {
  readonly #gapMs: number;
  #next = 0;

  constructor(requestsPerSecond: number | undefined) {
    this.#gapMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
  }

  /** Milliseconds to wait from `nowMs` (monotonic) before the request may start. */
  reserve(nowMs: number): number {
    if (this.#gapMs === 0) return 0;
    const start = Math.max(nowMs, this.#next);
    this.#next = start + this.#gapMs;
    return start - nowMs;
  }
}
