import { errorMessage, TidemarkError } from '../../base/errors.js';

/**
 * What the installed version changes in one part of the system.
 * - `none`: nothing.
 * - `changes`: the change happens by itself, or with the command that `message` names.
 * - `hinders`: runs would fail until a person follows `todo`.
 * - `unknown`: could not be checked; `message` says why.
 */
export interface Change {
  part: 'settings' | 'warehouse' | 'models' | 'workers' | 'schedules';
  state: 'none' | 'changes' | 'hinders' | 'unknown';
  message: string;
  /** The single changes, such as names of models. */
  items: string[];
  /** How to remove a hindrance; null in the other states. */
  todo: string | null;
}

type Part = Change['part'];

/** Makes the result for a part of the system that the upgrade does not change. */
export function none(part: Part, message: string, items: string[] = []): Change {
  return { part, state: 'none', message, items, todo: null };
}

/** Makes the result for a part of the system that the upgrade changes. */
export function changes(part: Part, message: string, items: string[]): Change {
  return { part, state: 'changes', message, items, todo: null };
}

/** Makes the result for a part of the system that could not be checked. */
export function unknown(part: Part, why: unknown): Change {
  return { part, state: 'unknown', message: `Not checked: ${errorMessage(why)}`, items: [], todo: null };
}

/** Makes the result for a part of the system with a fault that would also stop the next run. */
export function hinders(part: Part, error: unknown): Change {
  const todo = error instanceof TidemarkError ? error.todo : 'Run the command again with TIDEMARK_DEBUG=1 for details.';
  return { part, state: 'hinders', message: errorMessage(error), items: [], todo };
}
