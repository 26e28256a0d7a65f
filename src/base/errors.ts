import type { ErrorType } from '../../schemas/pipeline/error-type.js';

/**
 * An error that a person can act on. `message` states the cause and the place; `todo` states the remedy. Commands print
 * both and exit with code 1 (2 for `InvalidInput`). Activities convert the error to an ApplicationFailure of `type`.
 */
export class TidemarkError extends Error {
  readonly type: ErrorType;
  readonly todo: string;
  /** Whether the same call may succeed later. Tidemark retries only such calls. */
  readonly retryable: boolean;

  constructor(type: ErrorType, message: string, options: { todo: string; retryable?: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = type;
    this.type = type;
    this.todo = options.todo;
    this.retryable = options.retryable ?? false;
  }
}

/** Makes the error for input that a person can correct. `todo` names the remedy. */
export function invalidInput(what: string, todo: string, cause?: unknown): TidemarkError {
  return new TidemarkError('InvalidInput', what, { todo, cause });
}

/** Whether an error or one of its causes (up to 5 levels) has a Node error code, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    if ((e as NodeJS.ErrnoException).code === code) return true;
  }
  return false;
}

/** Returns the message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
