import { LimitError, type ApiErrorContext } from './errors.js';

/** The only route that the API still answers after the daily limit. Its requests use no quota. */
const FREE = 'GET /v2/metrics';

/**
 * Stops calls after the daily limit. The first `limits.daily` answer closes the latch. While the latch is closed, calls
 * fail without sending a request. Only `open()` opens the latch again, because the reference does not say when the API
 * lifts the limit (reference v2, "Errors").
 */
export class QuotaLatch {
  #message: string | null = null;
  readonly #enabled: boolean;

  /** @param enabled if false, the latch never closes */
  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  get isClosed(): boolean {
    return this.#message !== null;
  }

  /** Closes the latch if the error of a call is the daily limit. */
  heard(error: unknown): void {
    if (this.#enabled && error instanceof LimitError && error.guard === 'limits.daily') this.#message = error.message;
  }

  open(): void {
    this.#message = null;
  }

  /**
   * Returns the error for a call that must not be sent now; null when the call may be sent.
   * @param contextOf describes the call; called only for the error
   */
  refusal(endpoint: string, contextOf: () => ApiErrorContext): LimitError | null {
    if (this.#message === null || endpoint === FREE) return null;
    return new LimitError(contextOf(), 'limits.daily', null, `not sent, because the API said before: ${this.#message}`);
  }
}
