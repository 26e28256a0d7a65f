import { LimitError, type ApiErrorContext } from './errors.js';

/** The only call that the API answers, free of charge, after the daily limit. */
const FREE = 'GET /v2/metrics';

/**
 * Closes after the first `limits.daily` answer: calls not sent yet fail at once, instead of asking the API again.
 * Never opens by itself, because the reference does not say when the API lifts the limit (reference v2, "Errors").
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

  /** Reads the error of an answer; closes if the error is the daily limit. */
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
