import { WAREHOUSE_QUEUE } from '../../../workflows/queues.js';
import { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import type { SharedData } from '../../store/data.js';
import { openDataFolder, shortId } from '../../store/folder-identity.js';
import { collectGarbage, limitHeapGrowth } from '../../base/heap.js';
import { StampClock } from '../../base/time/stamp-clock.js';
import { findApiKey } from '../../config/stored-key.js';
import type { MetricsAddress } from '../../serve/metrics/serve.js';
import { bundleId, loadWorkflowBundle } from './bundle.js';
import { workerIdentity } from '../crawl-workers.js';
import { keepVersionCurrent } from './keep-version.js';
import { traceSinks } from './trace-sinks.js';
import { checkPolls } from './worker-health.js';
import { loadTracing } from '../../serve/tracing/load-tracing.js';
import type { Tracing } from '../../serve/tracing/tracing.js';
import { standBy, type Standby, type Runnable } from './warehouse-standby.js';
import type { WorkerMetrics } from './worker-metrics.js';
import { sweep, joinData, openData } from '../../store/working-copy.js';
import { isCrawling, type WorkerSetup } from './worker-parts.js';
import { checkTemporal, connectNative, installRuntime } from './worker-temporal.js';
import { DAY_MS } from '../../base/time/time.js';

/**
 * Builds clients and activities, and polls the queues of a role until stopped (composition root). Only a worker holds
 * the API key.
 * @throws TidemarkError for a missing key, an unreachable Temporal server, a missing namespace, or a port of the metrics
 * that is in use
 */
export async function runWorker(setup: WorkerSetup): Promise<void> {
  const { log } = setup;
  limitHeapGrowth();
  const metrics = setup.metrics === null ? null : await startMetrics(setup, setup.metrics);
  const tracing = await loadTracing('tidemark-worker', (message) => log.warn(message));
  try {
    await serveQueues(setup, metrics, tracing);
  } finally {
    await tracing?.stop();
    await metrics?.close();
  }
}

async function serveQueues(setup: WorkerSetup, metrics: WorkerMetrics | null, tracing: Tracing | null): Promise<void> {
  const { config, role, clock, log, stop, ownerPollSeconds, onReady } = setup;
  const apiKey = isCrawling(role) ? findApiKey(config) : null;
  const data = await openData(config);
  await joinData(data);
  const copy = data.isShared() ? data : undefined;
  if (copy !== undefined) keepSmall(copy);
  const folder = await openDataFolder(config.dataDir);
  installRuntime(log, metrics?.sdkAddress ?? null);
  // Load the modules of the role while Temporal answers.
  const [checked, bundle, crawl, warehouse] = await Promise.all([
    checkTemporal(config, folder, role, log),
    isCrawling(role) ? loadWorkflowBundle() : null,
    isCrawling(role) ? import('./crawl-worker.js') : null,
    role === 'crawl' ? null : import('./warehouse-worker.js'),
  ]);
  const { target } = checked;
  const connection = await connectNative(target);
  try {
    const { namespace } = target;
    const identity = workerIdentity({ folder: shortId(folder.id), settings: shortId(config.fileHash) });
    const temporal = new Client({ connection, namespace });
    const options = {
      connection,
      identity,
      namespace,
      maxHeartbeatThrottleInterval: '1 second' as const,
      ...(tracing === null ? { sinks: traceSinks() } : (await import('./tracing.js')).traceWork(tracing)),
    };
    const stamps = new StampClock(clock);
    const parts = {
      config,
      data,
      clock,
      stamps,
      log,
      folder,
      stop,
      ownerPollSeconds,
      metrics,
      tracing,
      temporal,
      options,
    };
    const build = checked.versioned && bundle !== null ? bundleId(bundle) : null;
    const creating: Promise<Worker | Worker[]>[] = [];
    if (warehouse !== null) metrics?.keepsWarehouse(temporal);
    if (crawl !== null && bundle !== null && apiKey !== null)
      creating.push(crawl.createCrawlWorkers(parts, bundle, build, apiKey, checked));
    if (warehouse !== null && copy === undefined) creating.push(warehouse.createWarehouseWorker(parts));
    const workers = (await Promise.all(creating)).flat();
    const queues = workers.map((worker) => worker.options.taskQueue);
    const runnables: Runnable[] = [...workers];
    let standby: Standby | undefined;
    if (warehouse !== null && copy !== undefined) {
      queues.push(`${WAREHOUSE_QUEUE} (while it holds the lease)`);
      standby = standBy(parts, copy, warehouse.createWarehouseWorker);
      runnables.push(standby, await warehouse.createStandbyWorker(parts));
    }
    metrics?.checksHealth(async () => checkPolls(temporal, identity, [...workers, ...(standby?.working() ?? [])]));
    await runAll(runnables, stop, async () => {
      // Only crawl workers run workflows.
      if (crawl !== null && config.worker.versioning !== 'manual')
        await keepVersionCurrent(temporal, { build, log, stop });
      // Starting leaves much garbage.
      collectGarbage();
      onReady({ queues, address: target.address, namespace, metrics: metrics?.url ?? null });
    });
  } finally {
    await connection.close();
  }
}

/** Removes old files from the working copy, now and once a day. */
function keepSmall(copy: SharedData): void {
  sweep(copy);
  setInterval(() => sweep(copy), DAY_MS).unref();
}

/** Loads the code of the metrics only when they are on, because this code loads further libraries. */
async function startMetrics({ config, clock }: WorkerSetup, address: MetricsAddress): Promise<WorkerMetrics> {
  const { serveWorkerMetrics } = await import('./worker-metrics.js');
  return serveWorkerMetrics(config, clock, address);
}

/**
 * Runs several workers together. If one fails, the others stop, too, because a process with only some of its workers
 * must not remain.
 */
async function runAll(workers: Runnable[], stop: AbortSignal, ready: () => Promise<void>): Promise<void> {
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  stop.addEventListener('abort', shutdown);
  const running = workers.map(async (worker) => {
    try {
      await worker.run();
    } finally {
      shutdown();
    }
  });
  if (stop.aborted) shutdown();
  else await ready();
  const ends = await Promise.allSettled(running);
  stop.removeEventListener('abort', shutdown);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
