import type { Clock } from './clock.js';

/**
 * Gives observations ascending timestamps: each is later than all before, even if the machine's clock was set back. So
 * the answer with the newest timestamp is always the last answer. While the clock is behind the last timestamp, the
 * next timestamp is one millisecond later. After that, timestamps are the clock's time again.
 */
export class StampClock implements Clock {
  readonly #clock: Clock;
  #last = -Infinity;
  /**
   * Wall clock minus monotonic clock, in milliseconds, when this machine's clock last agreed with the API's clock. Null
   * if the two never agreed.
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
   * Makes all later timestamps follow this one.
   * @param stamp ISO instant
   */
  after(stamp: string): void {
    const at = Date.parse(stamp);
    if (at > this.#last) this.#last = at;
  }

  /** Records that this machine's clock currently agrees with the API's clock. */
  agree(): void {
    this.#agreed = Date.now() - performance.now();
  }

  /**
   * Whether this machine's clock was changed by `byMs` or more since the clock last agreed with the API's clock. True
   * if the two never agreed.
   */
  wasSet(byMs: number): boolean {
    return this.#agreed === null || Math.abs(Date.now() - performance.now() - this.#agreed) >= byMs;
  }
}
