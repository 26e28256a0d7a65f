import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount } from '../../schemas/format.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../../test/helpers/processes.js';
import { makeProject, type Project } from '../../test/helpers/project.js';
import { countRequests, mostInFlight } from '../../test/helpers/sandbox.js';
import { startTemporal } from '../../test/helpers/temporal.js';
import { startGateway, type Gateway } from '../../test/helpers/versitygw.js';
import { MARKET } from '../market.js';
import { cpuSeconds } from '../process-usage.js';
import { report } from '../report/report.js';
import { measured, median, type ResultTable } from '../report/result.js';
import { rateOf, type Count } from './rate.js';

const WORKERS = [1, 2, 3];
const COMPANIES = Number(process.env['WORKERS_COMPANIES'] ?? 20_000);
const ROUNDS = Number(process.env['WORKERS_ROUNDS'] ?? 3);
/** Requests in flight of one worker. */
const OF_WORKER = Number(process.env['WORKERS_IN_FLIGHT'] ?? 16);
const LATENCY = 100;
const COUNT_EVERY_MS = 100;
const ROUTE = 'GET /v2/companies/{id}';

/**
 * Measures the company records per second of 1, 2 and 3 crawl workers. Each worker is a process with its own folder; the
 * data is in a bucket of versitygw. The API needs 100 ms for each answer. The limit of requests in flight grows with the
 * number of workers.
 *
 * Environment variables: `WORKERS_COMPANIES` (size of the market), `WORKERS_ROUNDS`, `WORKERS_IN_FLIGHT` (requests in
 * flight of one worker). Versitygw: see test/helpers/versitygw.ts.
 */
export async function benchWorkers(): Promise<void> {
  const nights = new Map<number, Night[]>(WORKERS.map((workers) => [workers, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const workers of WORKERS) {
      const night = await measureNight(workers);
      nights.get(workers)?.push(night);
      process.stdout.write(
        `  round ${round + 1}, ${workers} workers: ${formatCount(Math.round(night.rate))} records/s, CPU ${night.cpu.toFixed(1)} s, most in flight ${night.mostInFlight}\n`,
      );
    }
  report({
    bench: 'workers',
    settings: { WORKERS_COMPANIES: COMPANIES, WORKERS_ROUNDS: ROUNDS, WORKERS_IN_FLIGHT: OF_WORKER },
    rounds: ROUNDS,
    tables: [tableOf(nights)],
  });
}

/** What one first night cost. */
interface Night {
  /** Company records per second, between the first and the last answer. */
  rate: number;
  /** Requests in flight at the same time, as the API saw them. */
  mostInFlight: number;
  /** CPU seconds of all crawl workers, from their start to the last company record. */
  cpu: number;
}

async function measureNight(count: number): Promise<Night> {
  const cleanups: (() => unknown)[] = [];
  try {
    const [temporal, gateway, sandbox] = await Promise.all([
      startTemporal(),
      startGateway(),
      startSandbox({ ...MARKET, companies: COMPANIES, latency: LATENCY }),
    ]);
    cleanups.push(
      () => sandbox.stop(),
      () => gateway.remove(),
      () => temporal.teardown(),
    );
    const start = async (queue: 'crawl' | 'warehouse'): Promise<RunningProcess> => {
      const project = projectOf(sandbox, temporal.address, gateway, count * OF_WORKER);
      cleanups.push(() => project.remove());
      const worker = await project.startWorker({ LOG_LEVEL: 'warn' }, queue);
      cleanups.push(() => worker.stop());
      return worker;
    };
    const workers = await Promise.all(Array.from({ length: count }, () => start('crawl')));
    await start('warehouse');
    // The workers count each other within some seconds.
    await sleep(10_000);
    const handle = await temporal.client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: `bench/${count}`,
      args: [{}],
    });
    const rate = rateOf(await countAnswers(sandbox));
    const cpu = workers.reduce((sum, { child }) => sum + cpuSeconds(child.pid ?? 0), 0);
    await handle.terminate();
    return { rate, mostInFlight: await mostInFlight(sandbox), cpu };
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

function projectOf(sandbox: RunningSandbox, temporal: string, gateway: Gateway, maxConcurrency: number): Project {
  return makeProject({
    api: sandbox,
    temporal,
    config: {
      api: { baseUrl: sandbox.url, maxConcurrency },
      data: `s3://${gateway.bucket}/bench`,
      markets: [{ name: 'demo', streams: ['companies'] }],
    },
    env: gateway.env,
  });
}

/** Counts the answered company records until all are answered. */
async function countAnswers(sandbox: RunningSandbox): Promise<Count[]> {
  const counts: Count[] = [];
  for (;;) {
    const answered = await countRequests(sandbox, ROUTE);
    counts.push({ at: performance.now(), answered });
    if (answered >= COMPANIES) return counts;
    await sleep(COUNT_EVERY_MS);
  }
}

function tableOf(nights: ReadonlyMap<number, readonly Night[]>): ResultTable {
  const one = median((nights.get(1) ?? []).map(({ rate }) => rate));
  return {
    name: 'workers',
    columns: [
      `crawl workers, ${OF_WORKER} requests in flight each`,
      'records/s',
      'of linear',
      'most in flight',
      'CPU of the workers',
    ],
    rows: [...nights].map(([workers, some]) => ({
      name: String(workers),
      cells: [
        measured(
          some.map(({ rate }) => rate),
          'per second',
        ),
        measured(
          some.map(({ rate }) => rate / (workers * one)),
          'ratio',
        ),
        measured(
          some.map((night) => night.mostInFlight),
          'count',
        ),
        measured(
          some.map(({ cpu }) => cpu),
          'seconds',
        ),
      ],
    })),
  };
}
