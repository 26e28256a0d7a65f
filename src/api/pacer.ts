// After a `limit` answer, the new pace is BACK_OFF × the requests that the API accepted in the last second. The new
// pace is at least LEAST_KEPT × the old pace.
const BACK_OFF = 0.9;
const LEAST_KEPT = 0.5;
// While no `limit` answer comes, the pace grows by the factor GROWTH per second. After CAREFUL_SECONDS, the API clearly
// accepts more. From then on, the pace grows by FAST_GROWTH per second.
const GROWTH = 1.03;
const CAREFUL_SECONDS = 8;
const FAST_GROWTH = 2;
// In requests per second. FIRST_GUESS: the pace after a `limit` answer, if the API has given no good answer yet.
// SLOWEST: the lowest pace.
const FIRST_GUESS = 10;
const SLOWEST = 1;
const SECOND = 1_000;

/**
 * Limits the requests per second: each call of `reserve` reserves the next free instant for one request. Without a
 * configured pace, requests start at once until the API answers `limit`. From then on, the pace depends on how many
 * requests the API accepted in the last second. The pace grows again while no `limit` comes. All instants are monotonic
 * milliseconds.
 */
export class Pacer {
  #most: number;
  /** Current pace, in requests per second. */
  #rate: number;
  #next = 0;
  #setAt = 0;
  #heldUntil = 0;
  /** Counts of good answers, each for an interval of about 100 ms that starts at `at`. */
  #answered: { at: number; count: number }[] = [];

  constructor(requestsPerSecond: number | undefined) {
    this.#most = requestsPerSecond ?? Infinity;
    this.#rate = this.#most;
  }

  /** Changes the configured maximum pace. */
  setMost(requestsPerSecond: number): void {
    // A pace at the old maximum changes to the new maximum.
    if (this.#rate >= this.#most) this.#rate = requestsPerSecond;
    this.#most = requestsPerSecond;
  }

  /** Reserves the start of one request. Returns how many milliseconds after `now` the request may start. */
  reserve(now: number): number {
    const rate = this.rateAt(now);
    if (rate === Infinity) return 0;
    const start = Math.max(now, this.#next, this.#heldUntil);
    this.#next = start + SECOND / rate;
    return start - now;
  }

  /** Returns the pace at `now`, in requests per second. */
  rateAt(now: number): number {
    // Count only time in which requests could start. Time in which all requests had to wait shows nothing about the
    // API.
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
   * @param retryAfterMs wait that the answer asks for. All requests wait this long only if the API gave no good answer
   * in the last second. Otherwise, one record that the API always refuses would stop all requests.
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
