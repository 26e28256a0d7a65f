import { errorMessage, TidemarkError } from '../../core/errors.js';

/** What one check found. `warn` is worth knowing and stops nothing; `skip` could not be checked for an earlier fault. */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail' | 'skip';
  message: string;
  /** What to do about it; null when nothing needs doing. */
  todo: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message, todo: null };
}

export function warn(check: string, message: string, todo: string): Finding {
  return { check, state: 'warn', message, todo };
}

export function skip(check: string, message: string): Finding {
  return { check, state: 'skip', message, todo: null };
}

/** Anything thrown as a finding. */
export function fail(check: string, error: unknown): Finding {
  const todo = error instanceof TidemarkError ? error.todo : 'Run the command again with TIDEMARK_DEBUG=1 for details.';
  return { check, state: 'fail', message: errorMessage(error), todo };
}
