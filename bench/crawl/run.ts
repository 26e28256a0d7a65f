import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatCount } from '../../schemas/format.js';
import { ROOT, startProcess, startSandbox, type RunningSandbox } from '../../test/helpers/processes.js';
import { makeProject, type Project } from '../../test/helpers/project.js';
import { countRequests } from '../../test/helpers/sandbox.js';
import { startTemporal } from '../../test/helpers/temporal.js';
import { MARKET } from '../market.js';
import { costOfPhases, PHASES, readSteps, type Phase, type PhaseCost, type Step } from './phases.js';
import { ProcessMeter } from './process-meter.js';
import { readStepTimes } from './profile-steps.js';

const COMPANIES = Number(process.env['CRAWL_COMPANIES'] ?? 3_000);
const ROUNDS = Number(process.env['CRAWL_ROUNDS'] ?? 3);
const LATENCY = Number(process.env['CRAWL_LATENCY'] ?? 0);
const MEMORY = process.env['CRAWL_MEMORY'];
const PROFILES = process.env['CRAWL_PROFILES'];
/** Requests in flight. */
const AT_ONCE = 32;
const CRAWL_ROUTES = ['GET /v2/companies/{id}', 'GET /v2/financial/{id}'];

/**
 * Measures a worker that fetches a market with reports: calls a second, CPU time by phase, CPU time of each response by
 * step, and peak memory. Sandbox, Temporal dev server and worker are separate processes.
 *
 * Environment variables: `CRAWL_COMPANIES`, `CRAWL_ROUNDS`, `CRAWL_LATENCY` (milliseconds before each answer), and
 * `CRAWL_AGAINST` (the folder of another clone of Tidemark, whose worker is measured in turns with this one),
 * `CRAWL_MEMORY` (TIDEMARK_WAREHOUSE_MEMORY of the worker), `CRAWL_PROFILES` (folder in which to keep the CPU profiles;
 * `none`: measure no profile).
 */
export async function benchCrawl(): Promise<void> {
  const against = process.env['CRAWL_AGAINST'];
  const clones = { ...(against === undefined ? {} : { other: path.resolve(against) }), this: ROOT };
  process.stdout.write(
    `crawl: ${formatCount(COMPANIES)} companies with reports, ${AT_ONCE} in flight, latency ${LATENCY} ms, ${ROUNDS} rounds\n`,
  );
  const temporal = await startTemporal();
  const nights = new Map<string, Night[]>(Object.keys(clones).map((name) => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, clone] of Object.entries(clones)) {
        const night = await measureNight(clone, temporal);
        nights.get(name)?.push(night);
        process.stdout.write(`  round ${round + 1}, ${name}: ${describe(night)}\n`);
      }
    }
    for (const [name, clone] of Object.entries(clones)) {
      if (ROUNDS > 0) printMedians(name, nights.get(name) ?? []);
      if (PROFILES !== 'none') await printSteps(clone, temporal);
    }
  } finally {
    await temporal.teardown();
  }
}

interface Night {
  requests: number;
  /** Requests of the crawl phase: company records and reports. */
  crawled: number;
  seconds: number;
  crawlSeconds: number;
  phases: Record<Phase, PhaseCost>;
  peakMib: number;
}

type Temporal = Awaited<ReturnType<typeof startTemporal>>;

/** Runs one first night with a new sandbox, a new project and a new worker. */
async function measureNight(clone: string, temporal: Temporal): Promise<Night> {
  return withWorker(clone, temporal, [], async ({ pid, sandbox, run }) => {
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
      phases: costOfPhases(meter.samples, steps),
      peakMib,
    };
  });
}

/** Runs one more night with Node's profiler, which makes the worker slower. Prints the time of each step. */
async function printSteps(clone: string, temporal: Temporal): Promise<void> {
  const project = { folder: '' };
  let steps: Step[] = [];
  let crawled = 0;
  await withWorker(
    clone,
    temporal,
    (folder) => {
      project.folder = PROFILES ?? path.join(folder, 'profiles');
      mkdirSync(project.folder, { recursive: true });
      return ['--cpu-prof', `--cpu-prof-dir=${project.folder}`];
    },
    async ({ sandbox, run, stop }) => {
      steps = crawlSteps(await run());
      const counts = await Promise.all(CRAWL_ROUTES.map((route) => countRequests(sandbox, route)));
      crawled = counts.reduce((sum, count) => sum + count, 0);
      await stop();
      const times = readStepTimes(project.folder, steps);
      process.stdout.write('    main thread while it crawls, µs of each response:\n');
      for (const [step, micros] of [...times].toSorted(([, a], [, b]) => b - a))
        process.stdout.write(`      ${step.padEnd(24)} ${(micros / crawled).toFixed(0).padStart(5)}\n`);
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
  nodeOptions: readonly string[] | ((folder: string) => string[]),
  work: (worker: RunningWorker) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ ...MARKET, companies: COMPANIES, latency: LATENCY });
  const project = makeProject({
    api: sandbox,
    temporal: temporal.address,
    config: { api: { baseUrl: sandbox.url, maxConcurrency: AT_ONCE } },
  });
  const options = typeof nodeOptions === 'function' ? nodeOptions(project.dir) : nodeOptions;
  const worker = await startProcess([...options, path.join(buildOf(clone), 'src', 'cli.js'), 'worker'], {
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

const builds = new Map<string, string>();

/** Folder of the compiled code of a clone. */
function buildOf(clone: string): string {
  const known = builds.get(clone);
  if (known !== undefined) return known;
  const script = `import { ensureBuild } from '${pathToFileURL(path.join(clone, 'bootstrap', 'build.mjs')).href}';
process.stdout.write(await ensureBuild({ root: process.argv[1], log: () => {} }));`;
  const build = execFileSync(process.execPath, ['--input-type=module', '-e', script, clone], { encoding: 'utf8' });
  builds.set(clone, build);
  return build;
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

function printMedians(name: string, nights: readonly Night[]): void {
  const print = (label: string, of: (night: Night) => number, digits: number): void => {
    const values = nights.map(of).toSorted((a, b) => a - b);
    const [least = Number.NaN, most = Number.NaN] = [values[0], values.at(-1)];
    const median = values[Math.floor(values.length / 2)] ?? Number.NaN;
    const shown = [median, least, most].map((value) => value.toFixed(digits));
    process.stdout.write(`    ${label.padEnd(34)} ${shown[0]!.padStart(7)}   (${shown[1]} to ${shown[2]})\n`);
  };
  process.stdout.write(`  ${name}, medians:\n`);
  print('requests', (night) => night.requests, 0);
  print('calls/s of the crawl phase', (night) => night.crawled / night.crawlSeconds, 0);
  print('calls/s from end to end', (night) => night.requests / night.seconds, 0);
  for (const phase of PHASES) print(`CPU seconds, ${phase}`, (night) => night.phases[phase].cpu, 2);
  print('CPU seconds, whole night', totalCpu, 2);
  print('crawl, µs of CPU a response', (night) => (night.phases.crawl.cpu * 1e6) / night.crawled, 0);
  print('crawl, main thread only', (night) => (night.phases.crawl.mainCpu * 1e6) / night.crawled, 0);
  for (const phase of PHASES) print(`peak memory, ${phase}, MiB`, (night) => night.phases[phase].mib, 0);
  print('peak memory, MiB (VmHWM)', (night) => night.peakMib, 0);
}

function totalCpu({ phases }: Night): number {
  return PHASES.reduce((sum, phase) => sum + phases[phase].cpu, 0);
}

function perSecond(count: number, seconds: number): string {
  return formatCount(Math.round(count / seconds));
}
