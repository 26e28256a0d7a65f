import { existsSync } from 'node:fs';
import { createClock, type Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import { isOpen } from '../../store/file-modes.js';
import { findApiKey, isInEnvironment, keySource } from '../../config/stored-key.js';
import { checkClock, readClock } from '../../crawl/records/clock-off.js';
import { sandboxDays, sandboxToAsk } from '../running-sandbox.js';
import { openApi, type CommandApi } from '../api.js';
import { loadInForce } from '../../config/config-in-force.js';
import { currentBuild } from '../../warehouse/builds/builds.js';
import { loginFile } from '../../store/data-folder.js';
import { openPublished } from '../../warehouse/builds/published.js';
import { checkDisk, checkLanding } from './check-disk.js';
import { checkForgotten } from './check-forgotten.js';
import { checkModels } from './check-models.js';
import { checkModes } from './check-modes.js';
import { checkSchedules } from './check-schedules.js';
import { checkTemporal } from './check-temporal.js';
import { openStorage } from '../../store/open.js';
import { WRITER_LEASE } from '../../warehouse/duckdb/checkpoint.js';
import { checkBuild } from './check-build.js';
import { checkProxies } from './check-proxies.js';
import { checkStorage } from './check-storage.js';
import { fail, ok, skip, warn, type Finding } from './finding.js';
import { readWholly } from '../../warehouse/duckdb/read-wholly.js';
import { checkWarehouse } from './check-warehouse.js';
import { openRemote } from '../../warehouse/builds/copy-published.js';
import { LEASE } from '../../warehouse/builds/manifest.js';
import { formatCount } from '../../../schemas/format.js';

/** Someone waits for the answer, so requests to a bucket are repeated for a few seconds only. */
const PATIENCE = { forMs: 5_000, pauseMs: 100, longestMs: 1_000 };

/**
 * Runs all checks, each after the checks it depends on. A failed check does not stop the others.
 * @param options with `connector`, also compares each data route of the connector with the API
 */
export async function runChecks(
  configOption: string | undefined,
  { connector = false }: { connector?: boolean } = {},
): Promise<Finding[]> {
  const [found, config] = checkConfig(configOption);
  const clock = createClock(process.env, config === null ? undefined : sandboxDays(config.dataDir));
  if (config === null) {
    const without = [
      'key',
      'schedules',
      'proxy',
      'api',
      'connector',
      'disk',
      'modes',
      'landing',
      'warehouse',
      'models',
      'published',
    ].map((check) => skip(check, 'not checked without a configuration'));
    return [found, ...without, ...(await checkTemporal(null))];
  }
  const key = checkKey(config);
  const api =
    key.state === 'fail' || key.state === 'skip'
      ? skip('api', 'not checked without an API key')
      : await checkApi(config, clock);
  return [
    found,
    key,
    ...checkSchedules(config, clock.now()),
    checkProxies(config),
    api,
    api.state === 'fail' || api.state === 'skip'
      ? skip('connector', 'not checked without the API')
      : await checkConnector(config, clock),
    ...(connector && api.state !== 'fail' && api.state !== 'skip' ? await checkConnectorData(config, clock) : []),
    ...(await checkTemporal(config)),
    await checkDisk(config.dataDir),
    checkModes(config.dataDir),
    ...(await checkForgotten(config.dataDir)),
    await checkLanding(config, new Date(), clock.now()),
    config.bucket === undefined ? await checkWarehouse(config.dataDir) : skip('warehouse', IN_BUCKET),
    await checkModels(config, clock.now()),
    await checkPublished(config),
    ...(await checkBucket(config)),
    ...(await checkCopies(config)),
  ];
}

function checkConfig(option: string | undefined): [Finding, Config | null] {
  try {
    const config = loadInForce(option);
    const markets = config.markets.map(({ name }) => name).join(', ') || 'none';
    return [ok('configuration', `${config.file}; markets: ${markets}`), config];
  } catch (error) {
    return [fail('configuration', error), null];
  }
}

function checkKey(config: Config): Finding {
  try {
    const sandbox = sandboxToAsk(config);
    if (sandbox !== null) return ok('key', `from the sandbox that runs for this data folder (${sandbox.url})`);
    findApiKey(config);
    const { words, file } = keySource(config);
    if (file === undefined) return ok('key', `from ${words}`);
    // In a container, other users of the machine cannot reach this file.
    return isOpen(file) && !file.startsWith('/run/secrets/')
      ? warn('key', `other users can read ${file}`, `Run: chmod 600 ${file}`)
      : ok('key', `from ${file}`);
  } catch (error) {
    // With the data in a bucket, machines without a crawl worker need no key.
    if (config.bucket !== undefined && !hasKey(config))
      return skip('key', 'none on this machine; only crawl workers need the API key');
    return fail('key', error);
  }
}

function hasKey({ dataDir }: Config): boolean {
  return isInEnvironment() || existsSync(loginFile(dataDir));
}

/** Sends one request: checks that the API answers, accepts the API key and agrees with this machine's clock. */
async function checkApi(config: Config, clock: Clock): Promise<Finding> {
  let api: CommandApi | undefined;
  try {
    api = openApi(config, clock);
    const { data, times } = await api.call(async (client) => client.v2.metrics());
    const metrics = data.flatMap((group) => group.metrics).length;
    const off = checkClock(readClock(times), 'ends');
    if (off !== null) return warn('api', off, 'Set the clock of this machine with NTP.');
    return ok('api', `${api.baseUrl} accepts the API key and reports ${metrics} usage metrics`);
  } catch (error) {
    return fail('api', error);
  } finally {
    await api?.close();
  }
}

/**
 * Asks the connector whether the API key is valid. Runs do not use the connector, so a fault of the connector is only
 * a warning. If `api.connectorUrl` is not set, there may be no connector.
 */
async function checkConnector(config: Config, clock: Clock): Promise<Finding> {
  const isNamed = config.api.connectorUrl !== undefined;
  const api = openApi(config, clock);
  const { connectorUrl } = api;
  try {
    const { data } = await api.call(async (client) => client.connector.verifyToken());
    if (!data.fits) return skip('connector', `${connectorUrl} does not say whether the API key is valid`);
    return data.value.valid
      ? ok('connector', `${connectorUrl} says that the API key is valid`)
      : warn(
          'connector',
          `${connectorUrl} says that the API key is not valid`,
          'Check api.connectorUrl. Runs do not need the connector.',
        );
  } catch (error) {
    if (!isNamed) return skip('connector', `${connectorUrl} has no connector; runs do not need one`);
    const { message } = fail('connector', error);
    return warn('connector', message, 'Check api.connectorUrl. Runs do not need the connector.');
  } finally {
    await api.close();
  }
}

async function checkConnectorData(config: Config, clock: Clock): Promise<Finding[]> {
  const { compareConnector } = await import('./compare-connector.js');
  const api = openApi(config, clock);
  try {
    return await api.call(compareConnector);
  } finally {
    await api.close();
  }
}

// Only the machine of the writer has the warehouse file.
const IN_BUCKET = 'not checked: the data is in a bucket';

/** Checks the bucket that holds the data. No finding if the data is in a folder. */
async function checkBucket({ bucket, storage }: Config): Promise<Finding[]> {
  const setting = 'data';
  if (bucket === undefined) return [];
  try {
    const opened = openStorage(bucket, storage, process.env, PATIENCE);
    return await checkStorage(opened, { setting, lease: WRITER_LEASE });
  } catch (error) {
    return [fail(setting, error)];
  }
}

/** Checks the place to which builds are copied. No finding without such a place. */
async function checkCopies(config: Config): Promise<Finding[]> {
  // With the data in a bucket, the builds are in `published/` there.
  const setting = config.bucket === undefined ? 'publish.to' : 'builds';
  try {
    const storage = openRemote(config, PATIENCE);
    if (storage === undefined) return [];
    return [...(await checkStorage(storage, { setting, lease: LEASE })), await checkBuild(storage, setting)];
  } catch (error) {
    return [fail(setting, error)];
  }
}

async function checkPublished({ dataDir, bucket }: Config): Promise<Finding> {
  if (bucket !== undefined && currentBuild(dataDir) === null)
    return skip('published', 'this machine has not taken the published build yet; `tidemark sql` takes it');
  try {
    const published = await openPublished(dataDir);
    try {
      await readWholly({ rows: async (sql) => published.objects(sql) });
      const [row] = await published.objects<{ companies: number }>('SELECT count(*) AS companies FROM core.companies');
      return ok('published', `${published.file}, ${formatCount(row?.companies ?? 0)} companies, read completely`);
    } finally {
      published.close();
    }
  } catch (error) {
    const finding = fail('published', error);
    // Only warn: before the first run, nothing is published yet.
    return finding.message.startsWith('There is no') ? warn('published', finding.message, finding.todo ?? '') : finding;
  }
}
