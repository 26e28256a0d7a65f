// After "too much at once": a little below what the API last took, but not below half of what was sent.
const BACK_OFF = 0.9;
const LEAST_KEPT = 0.5;
// While nothing is refused the pace grows again, each second by this; after some seconds it is clear that the API takes
// much more than it did, and it doubles.
const GROWTH = 1.03;
const CAREFUL_SECONDS = 8;
const FAST_GROWTH = 2;
// Where nothing was answered yet, so much is tried.
const FIRST_GUESS = 10;
const SLOWEST = 1;
const SECOND = 1_000;

/**
 * Spreads request starts evenly: each call of `reserve` books the next free instant. Without a configured pace requests
 * start at once, until the API says "too much at once": what it took in the last second then is the pace, which grows
 * again while nothing is refused. All instants are monotonic milliseconds.
 */
export class Pacer {
  #most: number;
  /** Requests a second. */
  #rate: number;
  #next = 0;
  #setAt = 0;
  #heldUntil = 0;
  /** Starts of seconds, or of parts of one, with the good answers in them. */
  #answered: { at: number; count: number }[] = [];

  constructor(requestsPerSecond: number | undefined) {
    this.#most = requestsPerSecond ?? Infinity;
    this.#rate = this.#most;
  }

  /** Another pace from here on. */
  setMost(requestsPerSecond: number): void {
    // Where nothing slowed it down it goes as fast as it may.
    if (this.#rate >= this.#most) this.#rate = requestsPerSecond;
    this.#most = requestsPerSecond;
  }

  /** Milliseconds to wait from `now` before the request may start. */
  reserve(now: number): number {
    const rate = this.rateAt(now);
    if (rate === Infinity) return 0;
    const start = Math.max(now, this.#next, this.#heldUntil);
    this.#next = start + SECOND / rate;
    return start - now;
  }

  /** Requests a second that are sent at most. */
  rateAt(now: number): number {
    // While starts are held nothing shows that more would be taken.
    const calm = Math.max(0, now - Math.max(this.#setAt, this.#heldUntil)) / SECOND;
    const fast = Math.max(0, calm - CAREFUL_SECONDS);
    return Math.min(this.#most, this.#rate * GROWTH ** (calm - fast) * FAST_GROWTH ** fast);
  }

  /** A good answer. */
  succeeded(now: number): void {
    const last = this.#answered.at(-1);
    if (last && now - last.at < SECOND / 10) last.count++;
    else this.#answered.push({ at: now, count: 1 });
    if (this.#answered.length > 20) this.#answered = this.#answered.filter(({ at }) => now - at <= SECOND);
  }

  /**
   * "Too much at once"; the answers to requests already under way say it again, and count as one for a second.
   * @param retryAfterMs what the answer asks to wait. While other requests are answered only the refused one waits, so
   * that one record that is always refused does not stop everything
   */
  limited(now: number, retryAfterMs = 0): void {
    const taken = this.#answered.reduce((sum, { at, count }) => (now - at <= SECOND ? sum + count : sum), 0);
    if (taken === 0) this.#heldUntil = Math.max(this.#heldUntil, now + retryAfterMs);
    if (this.#setAt > 0 && now - this.#setAt < SECOND) return;
    const before = this.rateAt(now);
    const kept = before === Infinity ? (taken > 0 ? 0 : FIRST_GUESS) : before * LEAST_KEPT;
    this.#rate = Math.max(SLOWEST, kept, Math.min(before, taken * BACK_OFF));
    this.#setAt = now;
    this.#next = now;
  }
}
