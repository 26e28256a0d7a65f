import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { cleanEnv, ROOT, startProcess, startSandbox, type RunningSandbox } from '../test/helpers/processes.js';
import { commandFile } from '../bootstrap/bundle.mjs';
import { makeProject, type Project } from '../test/helpers/project.js';
import { startTemporal } from '../test/helpers/temporal.js';
import { buildOf } from './build-of.js';
import { CPU_REPORT, readCpuReport } from './process-usage.js';
import { report } from './report/report.js';
import { measured } from './report/result.js';
import { runSnapshot } from './run-snapshot.js';

const ROUNDS = Number(process.env['STARTUP_ROUNDS'] ?? 5);
const COMPANIES = 20;

/** What is measured, and its goal. */
const GOALS = {
  '`tidemark --help`, CPU time': '0.4 s',
  '`tidemark sql "select 1"` on an empty build, CPU time': '0.8 s',
  [`\`tidemark snapshot\` of ${COMPANIES} companies, CPU time of the command`]: '0.5 s',
  '`tidemark worker` until it polls Temporal for work, wall time': '2.5 s',
};

/** Where a build is measured. Each has its own Temporal server: a worker of another build would change its versions. */
interface Place {
  build: string;
  project: Project;
  remove: () => Promise<void>;
}

/**
 * Measures how long commands take to start: CPU seconds, and seconds until a worker polls.
 *
 * Environment variables: `STARTUP_ROUNDS`, `STARTUP_AGAINST` (the folder of another clone of Tidemark, which is measured
 * in turns with this one).
 */
export async function benchStartup(): Promise<void> {
  const against = process.env['STARTUP_AGAINST'];
  const clones = against === undefined ? { measured: ROOT } : { other: path.resolve(against), this: ROOT };
  const sandbox = await startSandbox({ companies: COMPANIES });
  const places = new Map<string, Place>();
  const rounds = new Map<string, number[][]>();
  try {
    for (const [name, clone] of Object.entries(clones)) places.set(name, await preparePlace(clone, sandbox));
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, place] of places) rounds.set(name, [...(rounds.get(name) ?? []), await measure(place)]);
  } finally {
    for (const { remove } of places.values()) await remove();
    await sandbox.stop();
  }
  const rows = Object.entries(GOALS).map(([name, goal], at) => {
    const cells = [...rounds.values()].map((all) =>
      measured(
        all.map((values) => values[at] ?? NaN),
        'seconds',
      ),
    );
    return { name, cells: [...cells, goal] };
  });
  report({
    bench: 'startup',
    settings: { STARTUP_ROUNDS: ROUNDS },
    rounds: ROUNDS,
    tables: [{ name: 'startup', columns: ['command', ...rounds.keys(), 'goal'], rows }],
  });
}

/** Measures a build once, in the order of `GOALS`. */
async function measure(place: Place): Promise<number[]> {
  const cpu = [cpuOf(place, ['--help']), cpuOf(place, ['sql', 'select 1'])];
  const begun = performance.now();
  const worker = await startWorker(place);
  const start = (performance.now() - begun) / 1_000;
  try {
    return [...cpu, await runSnapshot(place.project, place.build), start];
  } finally {
    await worker.stop();
  }
}

async function preparePlace(clone: string, sandbox: RunningSandbox): Promise<Place> {
  const build = buildOf(clone);
  const temporal = await startTemporal();
  const project = makeProject({ api: sandbox, temporal: temporal.address });
  const place: Place = {
    build,
    project,
    async remove() {
      project.remove();
      await temporal.teardown();
    },
  };
  await publishEmptyFile(path.join(project.dir, 'empty'));
  // The first start of a build writes its bundle of workflows and registers its version.
  await (await startWorker(place)).stop();
  return place;
}

function startWorker({ build, project }: Place): ReturnType<typeof startProcess> {
  return startProcess([commandFile(build, ['worker']), 'worker'], { env: project.env, ready: /^worker ready: /m });
}

/** Creates a published build for `tidemark sql`. */
async function publishEmptyFile(folder: string): Promise<void> {
  const build = path.join(folder, 'data', 'published');
  mkdirSync(build, { recursive: true });
  const instance = await DuckDBInstance.create(path.join(build, 'market.duckdb'));
  instance.closeSync();
  writeFileSync(path.join(folder, 'tidemark.yaml'), 'api: { baseUrl: https://api.example.com }\nmarkets: []\n');
}

/** CPU seconds of a command in the folder of the empty build. */
function cpuOf({ build, project }: Place, args: string[]): number {
  const all = ['--import', CPU_REPORT, commandFile(build, args), ...args];
  const cwd = path.join(project.dir, 'empty');
  const { stderr, status } = spawnSync(process.execPath, all, { cwd, env: cleanEnv({}), encoding: 'utf8' });
  if (status !== 0) throw new Error(`tidemark ${args.join(' ')} failed:\n${stderr}`);
  return readCpuReport(stderr);
}
