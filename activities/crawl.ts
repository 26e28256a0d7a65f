import { Context } from '@temporalio/activity';
import { describeSlowed } from '../src/api/limiter.js';
import { fetchChunk } from '../src/crawl/chunks/fetch-chunk.js';
import type { CrawlDeps, Heartbeat } from '../src/crawl/records/deps.js';
import { crawlListing } from '../src/crawl/chunks/crawl-listing.js';
import { pollOwnerJobs } from '../src/crawl/streams/owners/poll-jobs.js';
import { beginRun } from '../src/crawl/run/begin-run.js';
import { closeRun } from '../src/crawl/run/close-run.js';
import type { RunFates } from '../src/crawl/run/ended-runs.js';
import { readQuota } from '../src/crawl/read-quota.js';
import { discoverMarket } from '../src/crawl/search/discover.js';
import { casting } from './run/casting.js';
import type { CrawlActivities } from './contract.js';
import { withHeartbeat } from './heartbeat.js';

/** Facts about the Temporal server that the activities need. */
export interface TemporalFacts {
  /** Workflow id of the quota gate of the API key that this worker holds. It changes with the key. */
  readonly quotaGate: string;
  /** Names of the search attributes for a run's state that exist in the Temporal namespace. */
  stateAttributes: string[];
  /** Tells how earlier runs ended. If unset, new runs leave them as they are. */
  fates?: RunFates;
}

/** Creates the activities of the crawl queue for the worker process. */
export function createCrawlActivities(deps: CrawlDeps, facts: TemporalFacts): CrawlActivities {
  const { stateAttributes } = facts;
  const slowed = (): string | null => describeSlowed(deps.client.limits());
  const fetching: typeof withHeartbeat = (work) =>
    withHeartbeat((heartbeat) => whenCounted(deps, heartbeat, work), slowed);
  return casting(deps, {
    openRun: (input) => beginRun(deps, input, { stateAttributes, fates: facts.fates }),
    discoverMarket: (input) => fetching((heartbeat) => discoverMarket(deps, input, heartbeat)),
    crawlListing: (input) => fetching((heartbeat) => crawlListing(deps, input, heartbeat)),
    async crawlChunk(input) {
      const result = await fetching((heartbeat) => fetchChunk(deps, input, heartbeat));
      return { ...result, workers: deps.client.limits().workers };
    },
    pollOwnerJobs: (input) => fetching((heartbeat) => pollOwnerJobs(deps, input, heartbeat)),
    async enterQuotaGate({ waiter, workflowType, taskQueue, signal }) {
      await Context.current().client.workflow.signalWithStart(workflowType, {
        workflowId: facts.quotaGate,
        taskQueue,
        signal,
        signalArgs: [waiter],
        args: [],
        staticSummary: 'runs that wait for the daily quota of the API key',
      });
    },
    readQuota: (ctx, begins) =>
      withHeartbeat((heartbeat) => readQuota(deps, ctx, heartbeat, begins ? 'ends' : 'describes')),
    listStateAttributes: async () => stateAttributes,
    closeRun: (input) => closeRun(deps, input),
  });
}

/** Runs work that sends many requests, once the other workers know that this one takes part. */
async function whenCounted<T>(
  { counted }: Pick<CrawlDeps, 'counted'>,
  heartbeat: Heartbeat,
  work: (heartbeat: Heartbeat) => Promise<T>,
): Promise<T> {
  await counted?.(heartbeat.signal);
  return work(heartbeat);
}
