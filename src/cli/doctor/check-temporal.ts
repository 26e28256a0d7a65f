import path from 'node:path';
import { CRAWL_QUEUE, WAREHOUSE_QUEUE } from '../../../workflows/queues.js';
import { connectTemporal, resolveTemporal, type TemporalClient } from '../../temporal/connect.js';
import { requireOwn } from '../../temporal/namespace-owner.js';
import { connectForFolder } from '../../temporal/connect-folder.js';
import { describeOpen } from '../../temporal/describe-open.js';
import { listWorkers, type WorkerRole } from '../../temporal/list-workers.js';
import { readSearchAttributes } from '../../temporal/search-attributes.js';
import type { Client } from '@temporalio/client';
import type { Config } from '../../config/config.js';
import { keyFingerprint } from '../../base/key-fingerprint.js';
import { readKeyInUse } from '../../config/key-in-use.js';
import { findApiKey, keySource } from '../../config/stored-key.js';
import { seenWorkers } from '../../temporal/crawl-workers.js';
import { sandboxToAsk } from '../running-sandbox.js';
import { workerWarnings } from '../status/other-folder.js';
import { isFree } from '../terminal/ports.js';
import { fail, ok, skip, warn, type Finding } from './finding.js';

/**
 * Checks that Temporal answers, the namespace exists, the search attributes are registered and workers poll. If
 * Temporal does not answer, checks the ports that `tidemark up` needs.
 */
export async function checkTemporal(config: Config | null): Promise<Finding[]> {
  const dataDir = config?.dataDir ?? null;
  let temporal: TemporalClient;
  try {
    temporal = dataDir === null ? await connectTemporal(null) : await connectForFolder(dataDir, 'read');
  } catch (error) {
    return [fail('temporal', error), skip('workers', 'not checked without Temporal'), ...(await checkPorts(dataDir))];
  }
  try {
    // Without a configuration, the namespace of any data folder belongs to another one.
    if (dataDir === null) await requireOwn(temporal, null, path.resolve('data'));
    const { address, namespace, source } = temporal.target;
    const { missing } = await readSearchAttributes(temporal);
    const absent = [...missing.required, ...missing.state];
    const where = `${address} (${source}), namespace ${namespace}`;
    const finding =
      absent.length === 0
        ? ok('temporal', `${where}, search attributes registered`)
        : {
            ...warn('temporal', `${where}: search attributes missing: ${absent.join(', ')}`, 'Run `tidemark setup`.'),
            // Commands and schedules need the required attributes, so fail without them. The other attributes only show
            // a run's state in the list of the Temporal UI, so only warn without them.
            ...(missing.required.length > 0 && { state: 'fail' as const }),
          };
    return [finding, ...(await checkWorkers(temporal, config))];
  } catch (error) {
    return [fail('temporal', error), skip('workers', 'not checked')];
  } finally {
    await temporal.close();
  }
}

async function checkWorkers({ client }: TemporalClient, config: Config | null): Promise<Finding[]> {
  const open = describeOpen(client);
  const workers = await listWorkers(client, open);
  const count = (role: WorkerRole): number => workers.filter(({ roles }) => roles.includes(role)).length;
  const [crawl, warehouse, standbys] = [count('crawl'), count('warehouse'), count('standby')];
  const idle = [...(crawl === 0 ? [CRAWL_QUEUE] : []), ...(warehouse === 0 ? [WAREHOUSE_QUEUE] : [])];
  const faults: Finding[] = [];
  if (idle.length > 0) {
    const todo = 'Runs wait for a worker. Start one with `tidemark worker` or `tidemark up`.';
    faults.push(warn('workers', `no worker polls ${idle.join(' and ')}`, todo));
  }
  const most = config?.api.maxConcurrency ?? Infinity;
  if (crawl > most) {
    const todo =
      'Stop some of them. If the API allows more requests in flight, raise `api.maxConcurrency`. A worker that has ended counts for up to 90 s.';
    const message = `${crawl} crawl workers share ${most} requests in flight, but each one sends at least one request at a time`;
    faults.push(warn('workers', message, todo));
  }
  const other = config === null ? null : await otherKey(client, config);
  if (other !== null) faults.push(other);
  for (const warning of config === null ? [] : await workerWarnings(client, config, open)) {
    const todo =
      'A run uses the data folder, the settings and the version of the worker that starts it. `tidemark workers` shows the versions.';
    faults.push(warn('workers', warning, todo));
  }
  if (faults.length > 0) return faults;
  // With the data in a bucket, further warehouse workers wait for the lease.
  const more = standbys === 0 ? [] : [`${standbys} on standby for it`];
  const message = [`${crawl} polling ${CRAWL_QUEUE}`, `${warehouse} polling ${WAREHOUSE_QUEUE}`, ...more].join(', ');
  return [ok('workers', message)];
}

/**
 * Compares the API key of the workers on this machine with the key that a command reads.
 * @returns null if they are the same, or if one of them is unknown
 */
async function otherKey(client: Client, config: Config): Promise<Finding | null> {
  let own: string;
  try {
    own = keyFingerprint(findApiKey(config));
  } catch {
    // The check of the key names this fault.
    return null;
  }
  const seen = sandboxToAsk(config) === null ? await seenWorkers(client).catch(() => []) : [];
  for (const { identity, name } of seen) {
    const held = readKeyInUse(config.dataDir, identity);
    if (held === null || held.fingerprint === own) continue;
    const message = `worker ${name} holds the API key ${held.fingerprint} since ${held.since}, but this command reads ${own} from ${keySource(config).words}`;
    const todo =
      'If the API refuses the older key, a worker that reads a file takes the new one. A worker whose key is in TIDEMARK_API_KEY needs a restart.';
    return warn('workers', message, todo);
  }
  return null;
}

/** Checks the ports that `tidemark up` needs. Called only when Temporal does not answer. */
async function checkPorts(dataDir: string | null): Promise<Finding[]> {
  try {
    if (resolveTemporal(dataDir).source === 'environment') return [];
  } catch {
    // The finding `temporal` says why the settings cannot be read.
    return [];
  }
  const wanted = [7233, 8233];
  const taken: number[] = [];
  for (const port of wanted) if (!(await isFree(port))) taken.push(port);
  if (taken.length === 0) return [ok('ports', `${wanted.join(' and ')} are free for \`tidemark up\``)];
  return [ok('ports', `another process uses ${taken.join(' and ')}, so \`tidemark up\` uses the next free ones`)];
}
