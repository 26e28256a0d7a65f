import { ownFolder } from './run/own-folder.js';
import { startAlert } from './run/start-alert.js';
import { quick } from './proxies.js';

/**
 * Looks for scheduled nights that are not published in time, and starts an alert for each. The schedule
 * `tidemark/late-nights` runs it, so it also finds a night whose workflow never started.
 * @returns ids of the alerts of all late nights, also of those sent before
 */
export async function checkNights(): Promise<{ late: string[] }> {
  const found = await quick.findLateNights.executeWithOptions({ summary: 'look for late nights' }, [ownFolder()]);
  for (const alert of found) await startAlert(alert);
  return { late: found.map(({ id }) => id) };
}
