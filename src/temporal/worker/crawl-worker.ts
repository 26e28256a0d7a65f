import { createHash } from 'node:crypto';
import { Worker, type WorkerDeploymentOptions, type WorkerOptions } from '@temporalio/worker';
import { createCrawlActivities } from '../../../activities/crawl.js';
import { createAlertActivities } from '../../../activities/notify.js';
import type { CrawlChunkInput } from '../../../schemas/pipeline/activities.js';
import { CHUNK_QUEUE, CHUNKS_OF_WORKER, CRAWL_QUEUE } from '../../../workflows/queues.js';
import { createApiClient } from '../../api/index.js';
import type { Config } from '../../config/config.js';
import { keyFingerprint } from '../../base/key-fingerprint.js';
import { forgetKeyInUse, recordKey } from '../../config/key-in-use.js';
import { findApiKey } from '../../config/stored-key.js';
import { readRunSizes } from '../../config/run-sizes.js';
import { bookAttempt, bookSent } from '../../landing/request-log.js';
import { linkToRun, resolveTemporal } from '../connect.js';
import { WorkersAtWork } from './at-work.js';
import { createRunFates } from '../run-fates.js';
import { DEPLOYMENT, type Build } from '../versions.js';
import type { CheckedTemporal } from './worker-temporal.js';
import type { WorkerParts } from './worker-parts.js';

/**
 * Creates the workers of the crawl queue and of the chunk queue. They run the workflows and call the API.
 * @param build version of the worker; null: none
 */
export async function createCrawlWorkers(
  parts: WorkerParts,
  bundle: { code: string },
  build: Build,
  apiKey: string,
  { stateAttributes }: CheckedTemporal,
): Promise<Worker[]> {
  const { config, data, clock, stamps, log, folder, stop, metrics, tracing, temporal, options } = parts;
  let held = apiKey;
  const quotaGate = (): string => quotaGateId(config, held);
  const record = (): Promise<void> => recordKey(config.dataDir, options.identity, held, clock.now());
  const client = createApiClient({
    baseUrl: config.api.baseUrl,
    connectorUrl: config.api.connectorUrl,
    allowHttp: config.api.allowHttp,
    apiKey,
    renewKey: () => findApiKey(config),
    onKeyChange(key) {
      held = key;
      log.warn(
        `The API refused the key. This worker uses the key that it read again, ${keyFingerprint(key)}, from now on.`,
      );
      record().catch((error: unknown) => log.warn(error, 'the fingerprint of the new key was not recorded'));
    },
    maxConcurrency: config.api.maxConcurrency,
    timeoutMs: config.api.timeout * 1_000,
    now: () => stamps.now(),
    onSend: bookSent,
    onAttempt(attempt) {
      bookAttempt(attempt);
      metrics?.onAttempt(attempt);
      tracing?.onAttempt(attempt);
    },
    stopAtDailyLimit: true,
    ...(config.api.requestsPerSecond === undefined ? {} : { requestsPerSecond: config.api.requestsPerSecond }),
  });
  await metrics?.crawls(data, client, temporal, quotaGate());
  await record();
  stop.addEventListener('abort', () => forgetKeyInUse(config.dataDir, options.identity), { once: true });
  const others = new WorkersAtWork(temporal, {
    identity: options.identity,
    stop,
    onChange(place) {
      client.share(place);
      const { workers, max: inFlight } = client.limits();
      log.info({ workers, inFlight }, 'workers that share the API key, and the requests in flight of this one');
    },
  });
  const polls = parts.ownerPollSeconds === undefined ? {} : { ownerPollSeconds: parts.ownerPollSeconds };
  const counted = (signal: AbortSignal): Promise<void> => others.counted(signal);
  const crawlActivities = createCrawlActivities(
    { config, data, client, clock, stamps, log, folder, sizes: readRunSizes(), counted, ...polls },
    {
      get quotaGate() {
        return quotaGate();
      },
      stateAttributes,
      fates: createRunFates(temporal),
    },
  );
  const shared: Omit<WorkerOptions, 'taskQueue'> = {
    ...options,
    ...(build === null ? {} : { workerDeploymentOptions: versioned(build) }),
    // Short activities may finish within this time. After this time, a chunk is cancelled and lands its answers.
    shutdownGraceTime: '1 second',
    shutdownForceTime: '30 seconds',
  };
  const [crawls, chunks] = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: CRAWL_QUEUE,
      workflowBundle: bundle,
      activities: {
        ...crawlActivities,
        ...createAlertActivities({
          config,
          data,
          clock,
          log,
          folder,
          // Read the address of the UI again: another process may have taken over the dev server.
          linkTo: (workflowId, run) => linkToRun(resolveTemporal(config.dataDir), workflowId, run),
        }),
      },
    }),
    Worker.create({
      ...shared,
      taskQueue: CHUNK_QUEUE,
      activities: { crawlChunk: (input: CrawlChunkInput) => crawlActivities.crawlChunk(input) },
      maxConcurrentActivityTaskExecutions: CHUNKS_OF_WORKER,
    }),
    others.look(),
  ]);
  others.start();
  return [crawls, chunks];
}

/**
 * Returns the workflow id of the quota gate: one per API address and API key. The id contains a hash, which does not
 * reveal the API key.
 */
function quotaGateId({ api }: Config, apiKey: string): string {
  return `quota/${createHash('sha256').update(`${api.baseUrl} ${apiKey}`).digest('hex').slice(0, 16)}`;
}

// A run finishes on the version on which it started. Workflows that are no runs, and `enrichOwners`, declare that they
// move to the current version.
function versioned(buildId: string): WorkerDeploymentOptions {
  const version = { deploymentName: DEPLOYMENT, buildId };
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' };
}
