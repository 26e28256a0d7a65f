import { setWorkflowOptions } from '@temporalio/workflow';
import { ownFolder } from './run/own-folder.js';
import { startAlert } from './run/start-alert.js';
import { quick } from './proxies.js';

// A schedule starts no check while one is open. A check without a worker of its version would end all checks.
setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, checkNights);

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
