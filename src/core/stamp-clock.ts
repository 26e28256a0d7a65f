import type { Clock } from './clock.js';

/**
 * Stamps what is observed, in order: each stamp is later than every one before it, also when the machine's clock was set
 * back meanwhile. So the newest answer is always the one that was given last. While the clock is behind, stamps follow
 * the newest one a millisecond apart; once it has caught up, they are the clock's again.
 */
export class StampClock implements Clock {
  readonly #clock: Clock;
  #last = -Infinity;
  /** Wall clock against monotonic clock when the API's clock agreed; null before that. */
  #agreed: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    this.#last = Math.max(this.#clock.now().getTime(), this.#last + 1);
    return new Date(this.#last);
  }

  /** Makes later stamps follow this one. */
  after(stamp: string): void {
    const at = Date.parse(stamp);
    if (at > this.#last) this.#last = at;
  }

  /** Remembers that this machine's clock is right now. */
  agree(): void {
    this.#agreed = Date.now() - performance.now();
  }

  /** Whether the machine's clock was set by so much or more since it was last known to be right, or never was. */
  wasSet(byMs: number): boolean {
    return this.#agreed === null || Math.abs(Date.now() - performance.now() - this.#agreed) >= byMs;
  }
}
