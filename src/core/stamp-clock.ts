import type { Clock } from './clock.js';

/**
 * Stamps observations in order: each stamp is later than all before, even if the machine's clock was set back. So the
 * answer with the newest stamp is always the last one. While the clock is behind, each stamp is one millisecond later
 * than the one before. Once the clock has caught up, a stamp is the clock's time again.
 */
export class StampClock implements Clock {
  readonly #clock: Clock;
  #last = -Infinity;
  /** Wall clock minus monotonic clock, in milliseconds, when the clock last agreed with the API's; null before. */
  #agreed: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    this.#last = Math.max(this.#clock.now().getTime(), this.#last + 1);
    return new Date(this.#last);
  }

  /**
   * Makes later stamps follow this one.
   * @param stamp ISO instant
   */
  after(stamp: string): void {
    const at = Date.parse(stamp);
    if (at > this.#last) this.#last = at;
  }

  /** Records that this machine's clock currently agrees with the API's. */
  agree(): void {
    this.#agreed = Date.now() - performance.now();
  }

  /**
   * Whether the machine's clock was changed by `byMs` or more since it last agreed with the API's. True if it never
   * agreed.
   */
  wasSet(byMs: number): boolean {
    return this.#agreed === null || Math.abs(Date.now() - performance.now() - this.#agreed) >= byMs;
  }
}
