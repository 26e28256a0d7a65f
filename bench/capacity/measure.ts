import { copyCurrentBuild } from '../../src/warehouse/builds/copy-build.js';
import { openStorage } from '../../src/store/open.js';
import { advanceDay } from '../../test/helpers/sandbox.js';
import { startGateway } from '../../test/helpers/versitygw.js';
import { measureRun, type MeasuredRun, type System } from '../scale/measure.js';
import { SEARCH_ONLY, startSystem } from '../scale/system.js';
import { countRequestsTo, type BucketTraffic } from './count-requests.js';
import { DAY_SECONDS } from '../../src/base/time/time.js';

/** One copy of a build to a bucket. */
export interface MeasuredCopy extends BucketTraffic {
  files: number;
  cpu: number;
}

/** All runs of one size. */
export interface MeasuredSize {
  companies: number;
  /** Searches all companies and fetches no records. */
  search: MeasuredRun;
  /** Fetches the record and the report of every company. */
  first: MeasuredRun;
  /** The next night. */
  next: MeasuredRun;
  copyOfFirst: MeasuredCopy;
  copyOfNext: MeasuredCopy;
}

/**
 * Runs a search, a first night and a second night, and copies both builds to a bucket of versitygw.
 * @param memory value of `TIDEMARK_WAREHOUSE_MEMORY`; undefined: not set
 */
export async function measureSize(companies: number, memory: string | undefined): Promise<MeasuredSize> {
  const markets = [SEARCH_ONLY, { name: 'full', streams: ['companies', 'financials'] }];
  const workerEnv = memory === undefined ? {} : { TIDEMARK_WAREHOUSE_MEMORY: memory };
  const system = await startSystem(companies, markets, workerEnv);
  const gateway = await startGateway();
  const proxy = await countRequestsTo(gateway.env.AWS_ENDPOINT_URL);
  const env = { ...gateway.env, AWS_ENDPOINT_URL: proxy.url };
  const copy = async ({ project }: System): Promise<MeasuredCopy> => {
    const storage = openStorage(`s3://${gateway.bucket}/copies`, {}, env);
    const before = process.cpuUsage();
    proxy.take();
    const { sent } = await copyCurrentBuild(storage, project.dataDir, { keepSeconds: 7 * DAY_SECONDS, what: 'bench' });
    const { user, system: kernel } = process.cpuUsage(before);
    return { ...proxy.take(), files: sent.files, cpu: (user + kernel) / 1e6 };
  };
  try {
    const search = await measureRun(system, 'all');
    const first = await measureRun(system, 'full');
    const copyOfFirst = await copy(system);
    await advanceDay(system.sandbox);
    const next = await measureRun(system, 'full', 'bench/next');
    return { companies, search, first, copyOfFirst, next, copyOfNext: await copy(system) };
  } finally {
    await proxy.close();
    await gateway.remove();
    await system.stop();
  }
}
