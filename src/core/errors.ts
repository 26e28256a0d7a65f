import type { ErrorType } from '../../schemas/pipeline/error-type.js';

/**
 * A fault that a person can act on: `message` says what is wrong and where, `todo` what to do about it.
 * Commands print both and exit with 1 (2 for `usage`); activities turn it into an ApplicationFailure of `type`.
 */
export class TidemarkError extends Error {
  readonly type: ErrorType;
  readonly todo: string;
  /** False: the same call will fail the same way, so nothing should try it again by itself. */
  readonly retryable: boolean;

  constructor(type: ErrorType, message: string, options: { todo: string; retryable?: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = type;
    this.type = type;
    this.todo = options.todo;
    this.retryable = options.retryable ?? false;
  }
}

/** True for errno-style errors of Node with the given code, however deep the cause is. */
export function hasErrorCode(error: unknown, code: string): boolean {
  for (let e: unknown = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    if ((e as NodeJS.ErrnoException).code === code) return true;
  }
  return false;
}

/** The message of anything thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
