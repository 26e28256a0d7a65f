import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ErrorType } from '../schemas/pipeline/error-type.js';
import { nightlyJobs } from '../src/config/schedule-ids.js';
import type { CrawlDeps } from '../src/crawl/records/deps.js';
import { deliver, type DeliverDeps } from '../src/serve/alerts/deliver.js';
import { lateAlerts, latestNights } from '../src/serve/alerts/late-nights.js';
import { TargetError } from '../src/serve/alerts/target-error.js';
import { targetsFor } from '../src/serve/alerts/targets.js';
import { casting } from './run/casting.js';
import type { AlertActivities } from './contract.js';
import { dueNight } from './due-night.js';
import { withHeartbeat } from './heartbeat.js';

type Deps = Omit<CrawlDeps, 'client'> & DeliverDeps;

/** Creates the activities that find late nights and deliver alerts. Only the worker process calls this function. */
export function createAlertActivities(deps: Deps): AlertActivities {
  const { config, clock } = deps;
  return casting(deps, {
    chooseTargets: async ({ alert }) => targetsFor(config, alert.cause),
    // A worker that shuts down lets this attempt end. Otherwise, nobody would know whether the target got the alert.
    sendAlert: (input) =>
      withHeartbeat(async () => {
        try {
          return await deliver(deps, input);
        } catch (error) {
          throw withDelay(error);
        }
      }),
    async findLateNights() {
      const now = clock.now();
      const { client } = Context.current();
      const due = await Promise.all(nightlyJobs(config).map((job) => dueNight(client, job, now)));
      return lateAlerts(
        due.filter((night) => night !== null),
        await latestNights(config.dataDir, now),
        now,
      );
    },
  });
}

/** Makes Temporal wait as long as the target asks. Returns an error without such a wait unchanged. */
function withDelay(error: unknown): unknown {
  if (!(error instanceof TargetError) || error.retryAfterMs === null) return error;
  const type: ErrorType = error.type;
  return ApplicationFailure.create({
    type,
    message: `${error.message} ${error.todo}`,
    nextRetryDelay: error.retryAfterMs,
  });
}
