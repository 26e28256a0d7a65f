import type { Clock } from './clock.js';

/**
 * Gives ascending timestamps: each one is later than all earlier ones, even if the machine's clock was set back. So the
 * answer with the newest timestamp is always the one that came last. While the clock shows a time before the last
 * timestamp, each new timestamp is one millisecond after the last. Later, timestamps follow the clock again.
 */
export class StampClock implements Clock {
  readonly #clock: Clock;
  #last = -Infinity;
  /**
   * Difference between the wall clock and the monotonic clock, in milliseconds, at the last call of `agree`. Null
   * before the first call.
   */
  #agreed: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    this.#last = Math.max(this.#clock.now().getTime(), this.#last + 1);
    return new Date(this.#last);
  }

  /**
   * Makes all later timestamps come after this one.
   * @param stamp ISO instant
   */
  after(stamp: string): void {
    const at = Date.parse(stamp);
    if (at > this.#last) this.#last = at;
  }

  /** Remembers that this machine's clock agrees with the API's clock now. */
  agree(): void {
    this.#agreed = Date.now() - performance.now();
  }

  /**
   * Whether someone changed this machine's clock by `byMs` or more after the last call of `agree`. True if `agree` was
   * never called.
   */
  wasSet(byMs: number): boolean {
    return this.#agreed === null || Math.abs(Date.now() - performance.now() - this.#agreed) >= byMs;
  }
}
