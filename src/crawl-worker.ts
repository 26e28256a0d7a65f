import { createHash } from 'node:crypto';
import { Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import { createCrawlActivities } from '../activities/crawl.js';
import { createAlertActivities } from '../activities/notify.js';
import { CRAWL_QUEUE } from '../workflows/queues.js';
import { createApiClient } from './api-client/index.js';
import type { Config } from './core/config.js';
import { readRunSizes } from './core/run-sizes.js';
import { ChunkOrder } from './crawl/chunks/chunk-order.js';
import type { AtWork } from './crawl/concurrency-share.js';
import { bookAttempt } from './request-log/request-log.js';
import { linkToRun } from './temporal/connect.js';
import { watchAtWork } from './temporal/crawl-workers.js';
import { DEPLOYMENT, type Build } from './temporal/versions.js';
import type { CheckedTemporal } from './worker-temporal.js';
import type { WorkerParts } from './worker-parts.js';

// Work on some more records than there may be requests in flight: while one answer is checked and written, the next
// request is sent.
const RECORDS_PER_REQUEST = 1.25;

/**
 * Creates the worker of the crawl queue, which runs the workflows and calls the API.
 * @param build version of the worker; null: none
 */
export async function createCrawlWorker(
  parts: WorkerParts,
  bundle: { code: string },
  build: Build,
  apiKey: string,
  { target, stateAttributes }: CheckedTemporal,
): Promise<Worker> {
  const { config, clock, stamps, log, folder, stop, metrics, tracing, temporal, options } = parts;
  const quotaGate = quotaGateId(config, apiKey);
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
      tracing?.onAttempt(attempt);
    },
    stopAtDailyLimit: true,
    ...(config.api.requestsPerSecond === undefined ? {} : { requestsPerSecond: config.api.requestsPerSecond }),
  });
  metrics?.crawls(client, temporal, quotaGate);
  const atWork: AtWork = { workers: 1, runs: 1 };
  const order = new ChunkOrder(Math.ceil(config.api.maxConcurrency * RECORDS_PER_REQUEST));
  const onChange = (now: AtWork): void => {
    Object.assign(atWork, now);
    const { requestsPerSecond } = config.api;
    if (requestsPerSecond !== undefined) client.setPace(requestsPerSecond / now.workers);
    log.info(now, 'workers that share the concurrency of the API key');
  };
  const [worker] = await Promise.all([
    Worker.create({
      ...options,
      taskQueue: CRAWL_QUEUE,
      workflowBundle: bundle,
      ...(build === null ? {} : { workerDeploymentOptions: versioned(build) }),
      activities: {
        ...createCrawlActivities(
          { config, client, clock, stamps, log, folder, sizes: readRunSizes(), atWork, order },
          { quotaGate, stateAttributes },
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
    watchAtWork(temporal, { identity: options.identity, onChange, stop }),
  ]);
  return worker;
}

/**
 * Returns the workflow id of the quota gate: one per API address and API key. The id contains a hash, which does not
 * reveal the API key.
 */
function quotaGateId({ api }: Config, apiKey: string): string {
  return `quota/${createHash('sha256').update(`${api.baseUrl} ${apiKey}`).digest('hex').slice(0, 16)}`;
}

// A run finishes on the version on which it started. Workflows that may wait for days declare another versioning
// behaviour.
function versioned(buildId: string): WorkerDeploymentOptions {
  const version = { deploymentName: DEPLOYMENT, buildId };
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' };
}
