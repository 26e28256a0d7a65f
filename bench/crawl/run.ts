import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { formatCount } from '../../schemas/format.js';
import { ROOT, startProcess, startSandbox, type RunningSandbox } from '../../test/helpers/processes.js';
import { makeProject, type Project } from '../../test/helpers/project.js';
import { countRequests } from '../../test/helpers/sandbox.js';
import { startTemporal } from '../../test/helpers/temporal.js';
import { buildOf } from '../build-of.js';
import { MARKET } from '../market.js';
import { report } from '../report/report.js';
import { measured, type ResultTable, type Unit } from '../report/result.js';
import { costOfPhases, PHASES, readSteps, type Phase, type PhaseCost, type Step } from './phases.js';
import { ProcessMeter } from './process-meter.js';
import { readStepTimes } from './profile-steps.js';

const SIZES = (process.env['CRAWL_COMPANIES'] ?? '3000').split(',').map(Number);
const LARGEST = Math.max(...SIZES);
const ROUNDS = Number(process.env['CRAWL_ROUNDS'] ?? 3);
const LATENCY = Number(process.env['CRAWL_LATENCY'] ?? 0);
const MEMORY = process.env['CRAWL_MEMORY'];
const PROFILES = process.env['CRAWL_PROFILES'];
/** Requests in flight. */
const AT_ONCE = 32;
const CRAWL_ROUTES = ['GET /v2/companies/{id}', 'GET /v2/financial/{id}'];

/**
 * Measures first nights of a worker: calls a second, CPU time and peak memory by phase, and CPU time of each response by
 * step. Sandbox, Temporal dev server and worker are separate processes.
 *
 * Environment variables: `CRAWL_COMPANIES` (sizes of the markets, comma-separated), `CRAWL_ROUNDS`, `CRAWL_LATENCY`
 * (milliseconds before each answer), `CRAWL_AGAINST` (the folder of another clone of Tidemark, whose worker is measured
 * in turns with this one), `CRAWL_MEMORY` (TIDEMARK_WAREHOUSE_MEMORY of the worker), `CRAWL_PROFILES` (folder in which to
 * keep the CPU profiles; `none`: measure no profile).
 */
export async function benchCrawl(): Promise<void> {
  const against = process.env['CRAWL_AGAINST'];
  const clones = { ...(against === undefined ? {} : { other: path.resolve(against) }), this: ROOT };
  const labelOf = (name: string, companies: number): string =>
    `${formatCount(companies)} companies${against === undefined ? '' : `, ${name}`}`;
  const temporal = await startTemporal();
  const nights = new Map<string, Night[]>();
  const steps = new Map<string, ReadonlyMap<string, number>>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const companies of SIZES) {
        for (const [name, clone] of Object.entries(clones)) {
          const label = labelOf(name, companies);
          const night = await measureNight(clone, temporal, companies);
          nights.set(label, [...(nights.get(label) ?? []), night]);
          process.stdout.write(`  round ${round + 1}, ${label}: ${describe(night)}\n`);
        }
      }
    }
    if (PROFILES !== 'none')
      for (const [name, clone] of Object.entries(clones))
        steps.set(labelOf(name, LARGEST), await measureSteps(clone, temporal));
  } finally {
    await temporal.teardown();
  }
  report({
    bench: 'crawl',
    settings: {
      CRAWL_COMPANIES: SIZES.join(),
      CRAWL_ROUNDS: ROUNDS,
      ...(LATENCY === 0 ? {} : { CRAWL_LATENCY: LATENCY }),
    },
    rounds: ROUNDS,
    tables: [nightTable(nights), ...(steps.size === 0 ? [] : [stepTable(steps)])],
  });
}

interface Night {
  requests: number;
  /** Requests of the crawl phase: company records and reports. */
  crawled: number;
  seconds: number;
  crawlSeconds: number;
  /** From the end of the last crawl activity to the end of the publication. */
  endSeconds: number;
  phases: Record<Phase, PhaseCost>;
  peakMib: number;
}

type Temporal = Awaited<ReturnType<typeof startTemporal>>;

/** Runs one first night with a new sandbox, a new project and a new worker. */
async function measureNight(clone: string, temporal: Temporal, companies: number): Promise<Night> {
  return withWorker(clone, temporal, companies, [], async ({ pid, sandbox, run }) => {
    const meter = new ProcessMeter(pid);
    const begun = performance.now();
    const steps = await run();
    const seconds = (performance.now() - begun) / 1_000;
    const peakMib = meter.stop();
    const counts = await Promise.all(CRAWL_ROUTES.map((route) => countRequests(sandbox, route)));
    const crawls = crawlSteps(steps);
    return {
      requests: await countRequests(sandbox),
      crawled: counts.reduce((sum, count) => sum + count, 0),
      seconds,
      crawlSeconds: (Math.max(...crawls.map(({ to }) => to)) - Math.min(...crawls.map(({ from }) => from))) / 1_000,
      endSeconds: (Math.max(...steps.map(({ to }) => to)) - Math.max(...crawls.map(({ to }) => to))) / 1_000,
      phases: costOfPhases(meter.samples, steps),
      peakMib,
    };
  });
}

/**
 * Runs one more night of the largest market with Node's profiler, which makes the worker slower.
 * @returns µs of the main thread for each response while the worker crawls, by step
 */
async function measureSteps(clone: string, temporal: Temporal): Promise<ReadonlyMap<string, number>> {
  const project = { folder: '' };
  return withWorker(
    clone,
    temporal,
    LARGEST,
    (folder) => {
      project.folder = PROFILES ?? path.join(folder, 'profiles');
      mkdirSync(project.folder, { recursive: true });
      return ['--cpu-prof', `--cpu-prof-dir=${project.folder}`];
    },
    async ({ sandbox, run, stop }) => {
      const steps = crawlSteps(await run());
      const counts = await Promise.all(CRAWL_ROUTES.map((route) => countRequests(sandbox, route)));
      const crawled = counts.reduce((sum, count) => sum + count, 0);
      await stop();
      const times = readStepTimes(project.folder, steps);
      return new Map([...times].map(([step, micros]) => [step, micros / crawled]));
    },
  );
}

interface RunningWorker {
  pid: number;
  sandbox: RunningSandbox;
  project: Project;
  /** Runs the night and returns its steps. */
  run: () => Promise<Step[]>;
  stop: () => Promise<void>;
}

async function withWorker<T>(
  clone: string,
  temporal: Temporal,
  companies: number,
  nodeOptions: readonly string[] | ((folder: string) => string[]),
  work: (worker: RunningWorker) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ ...MARKET, companies, latency: LATENCY });
  const project = makeProject({
    api: sandbox,
    temporal: temporal.address,
    config: { api: { baseUrl: sandbox.url, maxConcurrency: AT_ONCE } },
  });
  const options = typeof nodeOptions === 'function' ? nodeOptions(project.dir) : nodeOptions;
  const worker = await startProcess([...options, path.join(buildOf(clone), 'src', 'cli', 'cli.js'), 'worker'], {
    env: { ...project.env, LOG_LEVEL: 'warn', ...(MEMORY === undefined ? {} : { TIDEMARK_WAREHOUSE_MEMORY: MEMORY }) },
    ready: /worker ready/,
  });
  const run = async (): Promise<Step[]> => {
    const handle = await temporal.client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: `bench/${sandbox.child.pid}`,
      args: [{ market: 'demo' }],
    });
    const result = (await handle.result()) as { outcome: string };
    if (result.outcome !== 'complete') throw new Error(`the run ended as ${result.outcome}\n${worker.output()}`);
    return readSteps(handle);
  };
  try {
    return await work({ pid: worker.child.pid!, sandbox, project, run, stop: () => worker.stop() });
  } finally {
    await worker.stop();
    await sandbox.stop();
    project.remove();
  }
}

function crawlSteps(steps: readonly Step[]): Step[] {
  return steps.filter(({ phase }) => phase === 'crawl');
}

function describe(night: Night): string {
  const { requests, seconds, crawled, crawlSeconds, phases, peakMib } = night;
  const cpu = PHASES.map((phase) => `${phase} ${phases[phase].cpu.toFixed(1)}`).join(', ');
  const mib = PHASES.map((phase) => `${phase} ${phases[phase].mib.toFixed(0)}`).join(', ');
  return `${formatCount(requests)} requests; calls/s: crawl ${perSecond(crawled, crawlSeconds)}, whole ${perSecond(requests, seconds)}; CPU s: ${cpu}, all ${totalCpu(night).toFixed(1)}; peak MiB: ${mib}, all ${peakMib.toFixed(0)}`;
}

function nightTable(nights: ReadonlyMap<string, readonly Night[]>): ResultTable {
  const row = (name: string, unit: Unit, of: (night: Night) => number): ResultTable['rows'][number] => ({
    name,
    cells: [...nights.values()].map((some) => measured(some.map(of), unit)),
  });
  return {
    name: 'night',
    columns: ['first night', ...nights.keys()],
    rows: [
      row('requests', 'count', (night) => night.requests),
      row('calls/s while the worker crawls', 'per second', (night) => night.crawled / night.crawlSeconds),
      row('calls/s from end to end', 'per second', (night) => night.requests / night.seconds),
      row('from the last answer to the published build', 'seconds', (night) => night.endSeconds),
      ...PHASES.map((phase) => row(`CPU, ${phase}`, 'seconds', (night) => night.phases[phase].cpu)),
      row('CPU, whole night', 'seconds', totalCpu),
      row('CPU of a response while the worker crawls, µs', 'count', microsOf('cpu')),
      row('of this, in the main thread, µs', 'count', microsOf('mainCpu')),
      ...PHASES.map((phase) => row(`peak memory, ${phase}`, 'MiB', (night) => night.phases[phase].mib)),
      row('peak memory', 'MiB', (night) => night.peakMib),
    ],
  };
}

/** Leaves out the time in which a load runs beside the crawl, and the answers of this time. */
const microsOf =
  (kind: 'cpu' | 'mainCpu') =>
  ({ phases, crawled }: Night): number => {
    const { crawl, 'crawl and load': both } = phases;
    return (crawl[kind] * 1e6) / (crawled * (crawl.seconds / (crawl.seconds + both.seconds)));
  };

function stepTable(steps: ReadonlyMap<string, ReadonlyMap<string, number>>): ResultTable {
  const all = [...steps.values()];
  const names = [...new Set(all.flatMap((times) => [...times.keys()]))];
  const last = all.at(-1);
  return {
    name: 'steps',
    columns: ['step of the main thread while the worker crawls, µs of each response', ...steps.keys()],
    rows: names
      .toSorted((a, b) => (last?.get(b) ?? 0) - (last?.get(a) ?? 0))
      .map((name) => ({ name, cells: all.map((times) => measured([times.get(name) ?? 0], 'count')) })),
  };
}

function totalCpu({ phases }: Night): number {
  return PHASES.reduce((sum, phase) => sum + phases[phase].cpu, 0);
}

function perSecond(count: number, seconds: number): string {
  return formatCount(Math.round(count / seconds));
}
