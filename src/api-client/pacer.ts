// After a `limit` answer, the new pace is this share of what the API accepted in the last second, but at least half of
// the pace before.
const BACK_OFF = 0.9;
const LEAST_KEPT = 0.5;
// Growth of the pace per second without `limit` answers. After 8 s, the API clearly accepts more, so the pace doubles
// each second.
const GROWTH = 1.03;
const CAREFUL_SECONDS = 8;
const FAST_GROWTH = 2;
// In requests per second: the pace to try when the API has answered nothing yet, and the lowest pace.
const FIRST_GUESS = 10;
const SLOWEST = 1;
const SECOND = 1_000;

/**
 * Spreads the starts of requests evenly: each call of `reserve` reserves the next free instant. Without a configured
 * pace, requests start at once until the API answers `limit`. From then on, the pace is what the API accepted in the
 * last second, and grows while no `limit` comes. All instants are monotonic milliseconds.
 */
export class Pacer {
  #most: number;
  /** Current pace, in requests per second. */
  #rate: number;
  #next = 0;
  #setAt = 0;
  #heldUntil = 0;
  /** Numbers of good answers in intervals of at least 100 ms. `at` is the start of an interval. */
  #answered: { at: number; count: number }[] = [];

  constructor(requestsPerSecond: number | undefined) {
    this.#most = requestsPerSecond ?? Infinity;
    this.#rate = this.#most;
  }

  /** Changes the configured pace. */
  setMost(requestsPerSecond: number): void {
    // If the current pace is the old maximum, continue with the new maximum.
    if (this.#rate >= this.#most) this.#rate = requestsPerSecond;
    this.#most = requestsPerSecond;
  }

  /** Reserves a start and returns the milliseconds from `now` until the request may start. */
  reserve(now: number): number {
    const rate = this.rateAt(now);
    if (rate === Infinity) return 0;
    const start = Math.max(now, this.#next, this.#heldUntil);
    this.#next = start + SECOND / rate;
    return start - now;
  }

  /** Returns the current maximum of requests per second. */
  rateAt(now: number): number {
    // Use only the time in which requests could start, because only such time shows what the API accepts.
    const calm = Math.max(0, now - Math.max(this.#setAt, this.#heldUntil)) / SECOND;
    const fast = Math.max(0, calm - CAREFUL_SECONDS);
    return Math.min(this.#most, this.#rate * GROWTH ** (calm - fast) * FAST_GROWTH ** fast);
  }

  /** Records a good answer. */
  succeeded(now: number): void {
    const last = this.#answered.at(-1);
    if (last && now - last.at < SECOND / 10) last.count++;
    else this.#answered.push({ at: now, count: 1 });
    if (this.#answered.length > 20) this.#answered = this.#answered.filter(({ at }) => now - at <= SECOND);
  }

  /**
   * Slows down after a `limit` answer. Ignores further `limit` answers within a second, because requests in flight get
   * the same answer.
   * @param retryAfterMs wait that the answer asks for. All starts wait only if the API gave no good answer in the last
   * second. Otherwise, a single record that the API always refuses would stop all requests.
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
