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
// SLOWEST: the lowest pace. ENDLESS: no worker sends more, so such a pace is none.
const FIRST_GUESS = 10;
const SLOWEST = 1;
const ENDLESS = 10_000;
const SECOND = 1_000;
/** Number of intervals of 100 ms for which accepted answers are counted. */
const INTERVALS = 20;

/**
 * Decides when the next request may start. Pure: the caller passes all instants, in monotonic milliseconds.
 *
 * `limit` does not say what was too much, so each such answer reduces both limits:
 *
 * | limit | after `limit` | while answers are accepted |
 * | --- | --- | --- |
 * | requests in flight | halved, once for requests in flight together | one more after each full round |
 * | requests per second (pace) | follows the accepted answers; changes once a second | grows with time |
 * | hold (`Retry-After`) | only if nothing was accepted in the last second | ends by itself |
 *
 * Without a configured pace, there is none until the first `limit`.
 */
export class Allowance {
  #max: number;
  #allowed: number;
  #active = 0;
  /**
   * Number of requests started so far. A request's ticket is this number when it starts. `#halvedAt` is this number at
   * the last halving: a `limit` answer to a ticket up to `#halvedAt` does not halve it again.
   */
  #ticket = 0;
  #halvedAt = 0;
  /** Highest pace and current pace, in requests per second. */
  #most: number;
  #rate: number;
  /** When the pace was set. 0: never. */
  #setAt = 0;
  #next = 0;
  #heldUntil = 0;
  /** When the first `limit` answer after the last accepted one came; null if none came since then. */
  #limitedSince: number | null = null;
  /** Counts of accepted answers, each for an interval of about 100 ms that starts at `at`. */
  readonly #accepted: { at: number; count: number }[] = [];

  constructor(max: number, perSecond = Infinity) {
    this.#max = this.#allowed = max;
    this.#most = this.#rate = perSecond;
  }

  /** Requests in flight. */
  get active(): number {
    return this.#active;
  }

  /** Requests that may be in flight now; at least 1. */
  get allowed(): number {
    return Math.max(1, Math.floor(this.#allowed));
  }

  /** Changes both maximums. A limit that was at its old maximum is then at its new one. */
  setMost(max: number, perSecond = Infinity): void {
    this.#allowed = this.#allowed >= this.#max ? max : Math.min(this.#allowed, max);
    this.#max = max;
    if (this.#rate >= this.#most) this.#rate = perSecond;
    this.#most = perSecond;
  }

  /** Returns the milliseconds until a request may start. Infinity: not before another one ends. */
  wait(now: number): number {
    return this.#active >= this.allowed ? Infinity : Math.max(0, this.#next - now, this.#heldUntil - now);
  }

  /**
   * Starts a request and returns its ticket. Call this only when `wait` has returned 0.
   * @param due instant at which the request could have started. It may be earlier than now, because timers are late;
   * the requests after it then make up for the delay
   */
  start(due: number): number {
    this.#active++;
    const rate = this.rateAt(due);
    if (rate < Infinity) this.#next = Math.max(due, this.#next, this.#heldUntil) + SECOND / rate;
    return ++this.#ticket;
  }

  /** Ends a request. */
  end(): void {
    this.#active--;
  }

  /** Records an answer that is no error. */
  accepted(now: number): void {
    this.#limitedSince = null;
    if (this.#allowed < this.#max) this.#allowed = Math.min(this.#max, this.#allowed + 1 / this.#allowed);
    const last = this.#accepted.at(-1);
    if (last && now - last.at < SECOND / 10) last.count++;
    else if (this.#accepted.push({ at: now, count: 1 }) > INTERVALS) this.#accepted.shift();
  }

  /**
   * Reduces the limits after a `limit` answer.
   * @param ticket of the request
   * @param retryAfterMs wait that the answer asks for. All requests wait this long only if the API accepted nothing in
   * the last second. Otherwise, one record that the API always refuses would stop all requests.
   */
  limited(ticket: number, now: number, retryAfterMs = 0): void {
    this.#limitedSince ??= now;
    if (ticket > this.#halvedAt) {
      this.#allowed = Math.max(1, this.#allowed / 2);
      this.#halvedAt = this.#ticket;
    }
    const taken = this.#accepted.reduce((sum, { at, count }) => (now - at <= SECOND ? sum + count : sum), 0);
    if (taken === 0) this.#heldUntil = Math.max(this.#heldUntil, now + retryAfterMs);
    // Requests in flight get the same answer.
    if (this.#setAt > 0 && now - this.#setAt < SECOND) return;
    const before = this.rateAt(now);
    const kept = before === Infinity ? (taken > 0 ? 0 : FIRST_GUESS) : before * LEAST_KEPT;
    this.#rate = Math.max(SLOWEST, kept, Math.min(before, taken * BACK_OFF));
    this.#setAt = this.#next = now;
  }

  /** Returns the pace at `now`, in requests per second; Infinity without one. */
  rateAt(now: number): number {
    if (this.#rate >= this.#most) return this.#most;
    // Count only time in which requests could start. Time in which all requests had to wait shows nothing about the
    // API.
    const calm = Math.max(0, now - Math.max(this.#setAt, this.#heldUntil)) / SECOND;
    const fast = Math.max(0, calm - CAREFUL_SECONDS);
    const grown = this.#rate * GROWTH ** (calm - fast) * FAST_GROWTH ** fast;
    return grown >= Math.min(this.#most, ENDLESS) ? this.#most : grown;
  }

  /** Returns the milliseconds until `Retry-After` lets a request start. */
  heldMs(now: number): number {
    return Math.max(0, this.#heldUntil - now);
  }

  /** Returns for how many milliseconds the API has answered only `limit`. 0: it has not. */
  limitedMs(now: number): number {
    return this.#limitedSince === null ? 0 : now - this.#limitedSince;
  }

  /** Whether `limit` answers keep requests slower than the maximums. */
  isSlowed(now: number): boolean {
    return this.#allowed < this.#max || this.rateAt(now) < this.#most || this.heldMs(now) > 0;
  }
}
