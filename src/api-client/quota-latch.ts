import { LimitError, type ApiErrorContext } from './errors.js';

/** The only request that the API answers after the daily limit. The request uses no quota. */
const FREE = 'GET /v2/metrics';

/**
 * Stops calls after the daily limit. The first `limits.daily` answer closes the latch: calls that are not sent yet then
 * fail without a request. Only `open()` opens the latch again, because the reference does not say when the API lifts
 * the limit (reference v2, "Errors").
 */
export class QuotaLatch {
  #message: string | null = null;
  readonly #enabled: boolean;

  /** @param enabled false: the latch never closes */
  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  get isClosed(): boolean {
    return this.#message !== null;
  }

  /** Examines the error of a call. Closes the latch if the error is the daily limit. */
  heard(error: unknown): void {
    if (this.#enabled && error instanceof LimitError && error.guard === 'limits.daily') this.#message = error.message;
  }

  open(): void {
    this.#message = null;
  }

  /** Returns the error for a call that must not be sent now; null when the call may be sent. */
  refusal(context: ApiErrorContext): LimitError | null {
    if (this.#message === null || context.endpoint === FREE) return null;
    return new LimitError(context, 'limits.daily', null, `not sent, because the API said before: ${this.#message}`);
  }
}
