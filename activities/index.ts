import path from 'node:path';
import { Context } from '@temporalio/activity';
import { RebuildInput } from '../schemas/pipeline/run.js';
import { fetchChunk } from '../src/crawl/chunks/fetch-chunk.js';
import { askedQuestions } from '../src/crawl/search/asked-questions.js';
import { stampedAhead } from '../src/crawl/run/clock-off.js';
import { closeRun, landDue, landOpening } from '../src/crawl/run/close-run.js';
import type { CrawlDeps } from '../src/crawl/deps.js';
import { currentNight } from '../src/crawl/run/current-night.js';
import { discoverMarket } from '../src/crawl/search/discover.js';
import { crawlListing } from '../src/crawl/list.js';
import { openRun } from '../src/crawl/run/open-run.js';
import { parseInput } from '../src/crawl/run/parse-input.js';
import { readQuota } from '../src/crawl/run/read-quota.js';
import { lastSyncDate } from '../src/crawl/run/last-sync.js';
import { newestStamp } from '../src/landing/index.js';
import { keepsContacts } from '../src/core/config.js';
import { configChange } from '../src/core/config-change.js';
import { readDataFolder } from '../src/core/data-folder.js';
import { buildModels } from '../src/models/run-models.js';
import { describeDrift } from '../src/load/describe-drift.js';
import { describeUnloaded } from '../src/load/describe-unloaded.js';
import { loadLanding } from '../src/load/load.js';
import { openWarehouse, type Warehouse } from '../src/duckdb/open.js';
import { planDue } from '../src/load/plan-due.js';
import { publish } from '../src/publish/publish.js';
import { rebuildWarehouse } from '../src/replay/rebuild.js';
import { castError } from './cast-errors.js';
import { checkInput } from './check-input.js';
import type { Activities, CrawlActivities, WarehouseActivities } from './contract.js';
import { checkFolder, contextOf } from './folder-check.js';
import { withHeartbeat } from './heartbeat.js';

const REJECTS_OF_RUN = 'SELECT coalesce(sum(rejects), 0) FROM ledger.loaded_parts WHERE run = $run';

/**
 * Creates the activities of the crawl queue. Only the worker calls it.
 * @param quotaGate workflow id of the quota gate of this worker's API key
 */
export function createCrawlActivities(deps: CrawlDeps, quotaGate: string): CrawlActivities {
  return casting(deps, {
    async openRun(input) {
      const { dataDir } = deps.config;
      const now = deps.clock.now();
      const newest = newestStamp(dataDir, dayBefore(now))?.stamp ?? null;
      if (newest !== null) deps.stamps?.after(newest);
      const edited = configChange(deps.config);
      const notes = [
        edited === null ? null : `${edited}. This run uses the old settings. Restart the worker to use the new ones.`,
        stampedAhead(newest, now),
      ];
      const ctx = openRun(deps.config, deps.clock, input, {
        folder: deps.folder === undefined ? null : readDataFolder(dataDir),
        stampsAfter: newest !== null && newest > now.toISOString() ? newest : null,
        startedAt: (deps.stamps ?? deps.clock).now(),
        notes: notes.filter((note) => note !== null),
        sizes: deps.sizes,
        lastWatchSync: lastSyncDate(dataDir),
        currentNight: (market, filters) => currentNight(dataDir, market, filters),
      });
      await landOpening(deps, ctx);
      return ctx;
    },
    discoverMarket: (input) => withHeartbeat((heartbeat) => discoverMarket(deps, input, heartbeat)),
    crawlListing: (input) => withHeartbeat((heartbeat) => crawlListing(deps, input, heartbeat)),
    crawlChunk: (input) => withHeartbeat((heartbeat) => fetchChunk(deps, input, heartbeat)),
    async enterQuotaGate({ waiter, workflowType, taskQueue, signal }) {
      await Context.current().client.workflow.signalWithStart(workflowType, {
        workflowId: quotaGate,
        taskQueue,
        signal,
        signalArgs: [waiter],
        args: [{}],
        staticSummary: 'runs that wait for the daily quota of the API key',
      });
    },
    readQuota: (ctx, begins) => withHeartbeat((heartbeat) => readQuota(deps, ctx, heartbeat, begins)),
    closeRun: (input) => closeRun(deps, input),
  });
}

/** Creates the activities of the warehouse queue. Each opens the warehouse file only while it works. */
export function createWarehouseActivities(deps: Omit<CrawlDeps, 'client'>): WarehouseActivities {
  const { dataDir } = deps.config;
  const withWarehouse = <T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> =>
    withHeartbeat(async () => {
      const warehouse = await openWarehouse(dataDir, { what: 'a worker' });
      try {
        return await work(warehouse);
      } finally {
        await warehouse.close();
      }
    });
  return casting(deps, {
    planDue: ({ ctx, stream, chunkSize }) =>
      withWarehouse(async (warehouse) => {
        const { run, market } = ctx;
        const refreshSeconds = ctx.refreshSeconds[stream] ?? 0;
        // A run without searches (a past date, a backfill) uses the market's latest members.
        const known = ctx.workflowType === 'retryRejects' ? 'rejected' : ctx.asOfNow ? 'sighted' : 'members';
        const questions = stream === 'matches' ? await askedQuestions(deps, ctx) : undefined;
        const due = await planDue(warehouse, dataDir, {
          questions,
          run,
          market,
          stream,
          refreshSeconds,
          now: deps.clock.now(),
          chunkSize,
          known,
        });
        await landDue(deps, ctx, stream, due);
        return { stream, chunkSize, ...due, ...(known === 'rejected' && due.due === 0 ? { idle: true } : {}) };
      }),
    loadLanding: ({ run }) =>
      withWarehouse(async (warehouse) => {
        const { parts, rows, driftFault, gone } = await loadLanding(warehouse, dataDir);
        return { parts, rows, driftFault, gone, rejects: await warehouse.db.count(REJECTS_OF_RUN, { run }) };
      }),
    buildModels: ({ run }) =>
      withWarehouse(async (warehouse) => {
        const built = await buildModels(warehouse, {
          now: deps.clock.now(),
          personalData: keepsContacts(deps.config),
          modelsDir: deps.config.modelsDir,
        });
        return {
          ...built,
          drift: await describeDrift(warehouse.db, run),
          unloaded: await describeUnloaded(warehouse.db, run),
        };
      }),
    publishWarehouse: ({ run }) =>
      withWarehouse((warehouse) =>
        publish(warehouse, dataDir, {
          run,
          now: deps.clock.now(),
          readers: deps.config.readers,
          keep: deps.config.publish.keep,
        }),
      ),
    rebuildWarehouse: (input) =>
      withHeartbeat(async (heartbeat) => {
        const { from, to } = parseInput(
          RebuildInput,
          input,
          '{"from": "2026-11-01", "to": "2026-11-30"}; both are optional',
        );
        // A warehouse of only some nights must not replace the complete one.
        const into = from === undefined && to === undefined ? '' : path.join('rebuilt', `${from ?? ''}..${to ?? ''}`);
        const { published, ...rebuilt } = await rebuildWarehouse(dataDir, {
          now: deps.clock.now(),
          from,
          to,
          ...(into === '' ? {} : { into: path.join(dataDir, into) }),
          readers: deps.config.readers,
          keep: deps.config.publish.keep,
          personalData: keepsContacts(deps.config),
          modelsDir: deps.config.modelsDir,
          onStep: (step) => heartbeat.report({ step, done: 0, total: null, requests: 0 }),
        });
        const { parts, rows, rejects, failedAudits, notes, faults } = rebuilt;
        const folder = readDataFolder(dataDir);
        const made = { parts, rows, rejects, failedAudits, notes, faults, into, published: published.file };
        return folder === null ? made : { ...made, folder };
      }),
  });
}

/**
 * Returns the day before an instant, in UTC. No time zone has an earlier date at this instant, so every newer part is
 * checked.
 */
function dayBefore(now: Date): string {
  return new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
}

/**
 * Wraps each activity: checks its input and its run's data folder, and turns every error into an ApplicationFailure.
 */
function casting<T extends object>(deps: Omit<CrawlDeps, 'client'>, activities: T): T {
  const wrapped = Object.entries(activities).map(([name, run]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        checkInput(name as keyof Activities, args[0]);
        checkFolder(deps, name as keyof Activities, args[0]);
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
