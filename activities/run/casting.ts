import type { CrawlDeps } from '../../src/crawl/records/deps.js';
import { castError } from './cast-errors.js';
import { checkInput } from './check-input.js';
import type { Activities } from '../contract.js';
import { checkFolder, contextOf } from './folder-check.js';

/**
 * Wraps each activity: checks the activity's input and the run's data folder, and turns every error except a
 * cancellation into an ApplicationFailure. Also makes the worker stamp new answers later than `stampsAfter` of the run.
 */
export function casting<T extends object>(deps: Omit<CrawlDeps, 'client'>, activities: T): T {
  const wrapped = Object.entries(activities).map(([name, run]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        checkInput(name as keyof Activities, args[0]);
        await checkFolder(deps, name as keyof Activities, ...args);
        const stamp = contextOf(name as keyof Activities, args[0])?.stampsAfter;
        if (stamp !== undefined) deps.stamps?.after(stamp);
        return await run(...args);
      } catch (error) {
        throw castError(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}
