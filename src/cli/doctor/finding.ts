import { describeDiskError } from '../../store/disk-errors.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';

/**
 * Result of one check.
 * - `ok`: no fault.
 * - `warn`: a fault that does not stop runs.
 * - `fail`: a fault that stops runs.
 * - `skip`: not checked; the message says why.
 */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail' | 'skip';
  message: string;
  /** How to fix the fault; null when there is nothing to do. */
  todo: string | null;
}

/** A check without a fault. */
export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message, todo: null };
}

/** A check whose fault does not stop runs. */
export function warn(check: string, message: string, todo: string): Finding {
  return { check, state: 'warn', message, todo };
}

/** A check that was not done; `message` says why. */
export function skip(check: string, message: string): Finding {
  return { check, state: 'skip', message, todo: null };
}

/** Converts any thrown value into a failed finding. */
export function fail(check: string, thrown: unknown): Finding {
  const error = describeDiskError(thrown);
  const todo = error instanceof TidemarkError ? error.todo : 'Run the command again with TIDEMARK_DEBUG=1 for details.';
  return { check, state: 'fail', message: errorMessage(error), todo };
}
