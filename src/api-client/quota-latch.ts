import { LimitError, type ApiErrorContext } from './errors.js';

/** The one call that is answered, and costs nothing, while the daily limit is reached. */
const FREE = 'GET /v2/metrics';

/**
 * Closes with the first answer that says `limits.daily`: calls that were not sent yet are refused at once, instead of
 * each hearing it from the API. It does not open by itself, since when the limit is lifted is not shown (reference v2,
 * "Errors").
 */
export class QuotaLatch {
  #message: string | null = null;
  readonly #enabled: boolean;

  /** @param enabled false: it never closes */
  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  get isClosed(): boolean {
    return this.#message !== null;
  }

  /** Takes the error of an answer; closes if it is the daily limit. */
  heard(error: unknown): void {
    if (this.#enabled && error instanceof LimitError && error.guard === 'limits.daily') this.#message = error.message;
  }

  open(): void {
    this.#message = null;
  }

  /** The error for a call that must not be sent now; null where it may. */
  refusal(context: ApiErrorContext): LimitError | null {
    if (this.#message === null || context.endpoint === FREE) return null;
    return new LimitError(context, 'limits.daily', null, `not sent, because the API said before: ${this.#message}`);
  }
}
