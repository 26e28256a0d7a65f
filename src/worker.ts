import { createHash } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, type LogLevel, type WorkerDeploymentOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createAlertActivities } from '../activities/notify.js';
import { createCrawlActivities } from '../activities/crawl.js';
import { createWarehouseActivities } from '../activities/warehouse.js';
import { CRAWL_QUEUE, WAREHOUSE_QUEUE } from '../workflows/queues.js';
import { createApiClient } from './api-client/index.js';
import type { Clock } from './core/clock.js';
import type { Config } from './core/config.js';
import { openDataFolder, shortId } from './core/folder-identity.js';
import { readRunSizes } from './core/run-sizes.js';
import { StampClock } from './core/stamp-clock.js';
import { findApiKey } from './core/stored-key.js';
import type { AtWork } from './crawl/concurrency-share.js';
import type { MetricsAddress } from './metrics/serve.js';
import { bookAttempt } from './request-log/request-log.js';
import { bundleId, loadWorkflowBundle } from './temporal/bundle.js';
import { connectTemporal, linkToRun, temporalUnreachable, type TemporalTarget } from './temporal/connect.js';
import { watchAtWork, workerIdentity } from './temporal/crawl-workers.js';
import { watchForeignWorkers } from './temporal/foreign-workers.js';
import { keepVersionCurrent } from './temporal/keep-version.js';
import { DEPLOYMENT, readDeployment, type Build } from './temporal/versions.js';
import { ensureSearchAttributes, namespaceError } from './temporal/search-attributes.js';
import { checkPolls } from './temporal/worker-health.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** The task queues that a worker polls: one of them, or both. */
export type Role = 'crawl' | 'warehouse' | 'all';

/** Input of `runWorker`. */
export interface WorkerSetup {
  config: Config;
  role: Role;
  clock: Clock;
  log: Logger;
  /**
   * Aborts when the worker must stop. Running activities are then cancelled and land their answers; the next worker
   * continues them.
   */
  stop: AbortSignal;
  /** Address at which to serve metrics; null: do not serve them. */
  metrics: MetricsAddress | null;
  /** `metrics`: address of the metrics; null if they are off. */
  onReady: (info: { queues: string[]; address: string; namespace: string; metrics: string | null }) => void;
}

/**
 * Builds clients and activities, and polls the queues of a role until stopped (composition root). Only a worker holds
 * the API key.
 * @throws TidemarkError for a missing key, an unreachable Temporal server, a missing namespace, or a port of the metrics
 * that is in use
 */
export async function runWorker(setup: WorkerSetup): Promise<void> {
  const metrics = setup.metrics === null ? null : await startMetrics(setup, setup.metrics);
  try {
    await serveQueues(setup, metrics);
  } finally {
    await metrics?.close();
  }
}

async function serveQueues(setup: WorkerSetup, metrics: WorkerMetrics | null): Promise<void> {
  const { config, role, clock, log, stop, onReady } = setup;
  const apiKey = role === 'warehouse' ? null : findApiKey(config);
  const sizes = readRunSizes();
  const folder = await openDataFolder(config.dataDir);
  installRuntime(log, metrics?.sdkAddress ?? null);
  const [bundle, { target, close, stateAttributes }] = await Promise.all([
    role === 'warehouse' ? null : loadWorkflowBundle(),
    checkTemporal(config, role, log),
  ]);
  await close();
  const connection = await connectNative(target);
  try {
    const workers: Worker[] = [];
    // Undefined: this worker runs no workflows.
    let build: Build | undefined;
    const stamps = new StampClock(clock);
    const identity = workerIdentity({ folder: shortId(folder.id), settings: shortId(config.fileHash ?? config.hash) });
    const shared = {
      connection,
      identity,
      namespace: target.namespace,
      maxHeartbeatThrottleInterval: '1 second' as const,
    };
    const temporal = new Client({ connection, namespace: target.namespace });
    await watchForeignWorkers(temporal, { folder, log, stop });
    if (apiKey !== null && bundle) {
      const client = createApiClient({
        baseUrl: config.api.baseUrl,
        connectorUrl: config.api.connectorUrl,
        allowHttp: config.api.allowHttp,
        apiKey,
        maxConcurrency: config.api.maxConcurrency,
        timeoutMs: config.api.timeout * 1_000,
        now: () => stamps.now(),
        onAttempt(attempt) {
          bookAttempt(attempt);
          metrics?.onAttempt(attempt);
        },
        stopAtDailyLimit: true,
        ...(config.api.requestsPerSecond === undefined ? {} : { requestsPerSecond: config.api.requestsPerSecond }),
      });
      metrics?.crawls(client, temporal, quotaGateId(config, apiKey));
      const atWork: AtWork = { workers: 1, runs: 1 };
      const onChange = (now: AtWork): void => {
        Object.assign(atWork, now);
        const { requestsPerSecond } = config.api;
        if (requestsPerSecond !== undefined) client.setPace(requestsPerSecond / now.workers);
        log.info(now, 'workers that share the concurrency of the API key');
      };
      await watchAtWork(temporal, { identity, onChange, stop });
      build = await chooseBuild(temporal, config, bundleId(bundle), log);
      workers.push(
        await Worker.create({
          ...shared,
          taskQueue: CRAWL_QUEUE,
          workflowBundle: bundle,
          ...(build === null ? {} : { workerDeploymentOptions: versioned(build) }),
          activities: {
            ...createCrawlActivities(
              { config, client, clock, stamps, log, folder, sizes, atWork },
              { quotaGate: quotaGateId(config, apiKey), stateAttributes },
            ),
            ...createAlertActivities({
              config,
              clock,
              log,
              folder,
              linkTo: (workflowId, run) => linkToRun(target, workflowId, run),
            }),
          },
          // Short activities may finish within this time. After this time, a chunk is cancelled and lands its answers.
          shutdownGraceTime: '1 second',
          shutdownForceTime: '30 seconds',
        }),
      );
    }
    if (role !== 'crawl') {
      metrics?.keepsWarehouse(temporal);
      workers.push(
        await Worker.create({
          ...shared,
          taskQueue: WAREHOUSE_QUEUE,
          activities: createWarehouseActivities({ config, clock, stamps, log, folder }),
          // Run one activity at a time: DuckDB has one writer, and one build uses all cores.
          maxConcurrentActivityTaskExecutions: 1,
          shutdownGraceTime: '10 seconds',
          shutdownForceTime: '60 seconds',
        }),
      );
    }
    metrics?.checksHealth(async () => checkPolls(temporal, identity, workers));
    const queues = workers.map((worker) => worker.options.taskQueue);
    const { address, namespace } = target;
    await runAll(workers, stop, async () => {
      if (build !== undefined && config.worker.versioning !== 'manual')
        await keepVersionCurrent(temporal, { build, log, stop });
      onReady({ queues, address, namespace, metrics: metrics?.url ?? null });
    });
  } finally {
    await connection.close();
  }
}

/** Loads the code of the metrics only when they are on, because this code loads further libraries. */
async function startMetrics({ config, clock }: WorkerSetup, address: MetricsAddress): Promise<WorkerMetrics> {
  const { serveWorkerMetrics } = await import('./worker-metrics.js');
  return serveWorkerMetrics(config, clock, address);
}

/**
 * Returns the workflow id of the quota gate: one per API address and API key. The id contains a hash, which does not
 * reveal the API key.
 */
function quotaGateId({ api }: Config, apiKey: string): string {
  return `quota/${createHash('sha256').update(`${api.baseUrl} ${apiKey}`).digest('hex').slice(0, 16)}`;
}

/** Returns the version of a worker; null when it runs without one. */
async function chooseBuild(temporal: Client, { worker }: Config, build: string, log: Logger): Promise<Build> {
  if (worker.versioning === 'off') return null;
  if ((await readDeployment(temporal)) !== null) return build;
  log.info(
    'This Temporal server has no Worker Deployments, or refuses access to them. The worker runs without a version.',
  );
  return null;
}

// A run finishes on the version on which it started. Workflows that may wait for days declare another versioning
// behaviour.
function versioned(buildId: string): WorkerDeploymentOptions {
  const version = { deploymentName: DEPLOYMENT, buildId };
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' };
}

/**
 * Runs several workers together. If one fails, the others stop, too, because a process with only some of its workers
 * must not remain.
 */
async function runAll(workers: Worker[], stop: AbortSignal, ready: () => Promise<void>): Promise<void> {
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

/**
 * Checks that the Temporal server answers, because the native client would retry for a long time and report less. Then
 * registers the search attributes, because every run would hang without them.
 */
async function checkTemporal(
  config: Config,
  role: Role,
  log: Logger,
): Promise<{ target: TemporalTarget; close: () => Promise<void>; stateAttributes: string[] }> {
  const temporal = await connectTemporal(config.dataDir);
  const { namespace } = temporal.target;
  try {
    await temporal.client.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
      throw namespaceError(namespace, error);
    });
    // Only crawl workers run workflows.
    if (role === 'warehouse') return { ...temporal, stateAttributes: [] };
    const { state, warning } = await ensureSearchAttributes(temporal);
    if (warning !== null) log.warn(warning);
    return { ...temporal, stateAttributes: state };
  } catch (error) {
    await temporal.close();
    throw error;
  }
}

async function connectNative(target: TemporalTarget): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect({ ...target.options, address: target.address });
  } catch (error) {
    throw temporalUnreachable(target, error);
  }
}

/** @param metricsAddress where the SDK serves its own metrics; null: nowhere */
function installRuntime(log: Logger, metricsAddress: string | null): void {
  const level = (name: LogLevel) => (message: string, meta?: Record<string, unknown>) => {
    const method =
      name === 'TRACE'
        ? 'trace'
        : name === 'DEBUG'
          ? 'debug'
          : name === 'INFO'
            ? 'info'
            : name === 'WARN'
              ? 'warn'
              : 'error';
    log[method](meta ?? {}, message);
  };
  Runtime.install({
    logger: {
      log: (name: LogLevel, message, meta) => level(name)(message, meta),
      trace: level('TRACE'),
      debug: level('DEBUG'),
      info: level('INFO'),
      warn: level('WARN'),
      error: level('ERROR'),
    },
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress === null
        ? {}
        : {
            metrics: {
              prometheus: {
                bindAddress: metricsAddress,
                countersTotalSuffix: true,
                unitSuffix: true,
                useSecondsForDurations: true,
              },
              attachServiceName: false,
            },
          }),
    },
    // The command already handles signals. With a second handler, the worker would shut down twice.
    shutdownSignals: [],
  });
}
