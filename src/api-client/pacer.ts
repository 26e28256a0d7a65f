// Pace after a `limit` answer: 90 % of what the API accepted in the last second. Keep at least half of the pace before.
const BACK_OFF = 0.9;
const LEAST_KEPT = 0.5;
// Without `limit` answers, the pace grows by 3 % a second. After 8 s, the API clearly accepts more: double the pace
// each second.
const GROWTH = 1.03;
const CAREFUL_SECONDS = 8;
const FAST_GROWTH = 2;
// The pace to try when the API has answered nothing yet, and the lowest pace, in requests a second.
const FIRST_GUESS = 10;
const SLOWEST = 1;
const SECOND = 1_000;

/**
 * Spreads the starts of requests evenly: each call of `reserve` books the next free instant.
 * Without a configured pace, requests start at once until the API answers `limit`. The pace is then what the API
 * accepted in the last second, and grows again while no `limit` comes. All instants are monotonic milliseconds.
 */
export class Pacer {
  #most: number;
  /** Requests a second. */
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
    // A pace at the old maximum follows the new one.
    if (this.#rate >= this.#most) this.#rate = requestsPerSecond;
    this.#most = requestsPerSecond;
  }

  /** Returns the milliseconds to wait from `now` before the request may start. */
  reserve(now: number): number {
    const rate = this.rateAt(now);
    if (rate === Infinity) return 0;
    const start = Math.max(now, this.#next, this.#heldUntil);
    this.#next = start + SECOND / rate;
    return start - now;
  }

  /** Returns the current maximum of requests a second. */
  rateAt(now: number): number {
    // Count only the time in which requests could start: only these show what the API accepts.
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
   * second. Otherwise a single record that is always refused would stop every request.
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
