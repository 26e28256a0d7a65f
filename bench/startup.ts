import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeProject } from '../test/helpers/project.js';
import { cleanEnv, compiled } from '../test/helpers/processes.js';
import { startTemporal } from '../test/helpers/temporal.js';

const ROUNDS = 5;
/** Prints the CPU seconds of a process at its end. */
const REPORT =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();' +
  'process.stderr.write("\\ncpu "+(user+system)/1e6)})';

/** Measures how long commands take to start: CPU seconds, and seconds until a worker polls. */
export async function benchStartup(): Promise<void> {
  process.stdout.write(`startup: medians of ${ROUNDS} rounds, Node ${process.version}\n`);
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-startup-'));
  try {
    await publishEmptyFile(folder);
    print('tidemark --help, CPU', cpuOf(['--help'], folder), 'below 0.4 s');
    print('tidemark sql "select 1", CPU', cpuOf(['sql', 'select 1'], folder), 'below 0.8 s');
    print('tidemark worker until it polls, wall time', await workerStart(), 'below 3 s');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a published build for `tidemark sql`. */
async function publishEmptyFile(folder: string): Promise<void> {
  const build = path.join(folder, 'data', 'published');
  mkdirSync(build, { recursive: true });
  const instance = await DuckDBInstance.create(path.join(build, 'market.duckdb'));
  instance.closeSync();
  writeFileSync(path.join(folder, 'tidemark.yaml'), 'api: { baseUrl: https://api.example.com }\nmarkets: []\n');
}

function cpuOf(args: string[], cwd: string): number[] {
  return rounds(() => {
    const all = ['--import', REPORT, ...compiled(['bin/tidemark.mjs', ...args])];
    const { stderr, status } = spawnSync(process.execPath, all, { cwd, env: cleanEnv({}), encoding: 'utf8' });
    if (status !== 0) throw new Error(`tidemark ${args.join(' ')} failed:\n${stderr}`);
    return Number(/^cpu (\S+)$/m.exec(stderr)?.[1]);
  });
}

async function workerStart(): Promise<number[]> {
  const temporal = await startTemporal();
  const project = makeProject({ api: { url: 'http://127.0.0.1:9', key: 'bench-key' }, temporal: temporal.address });
  const times: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const begun = performance.now();
      const worker = await project.startWorker();
      times.push((performance.now() - begun) / 1_000);
      await worker.stop();
    }
  } finally {
    project.remove();
    await temporal.teardown();
  }
  return times;
}

function rounds(measure: () => number): number[] {
  return Array.from({ length: ROUNDS }, measure);
}

function print(what: string, seconds: number[], goal: string): void {
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  process.stdout.write(`  ${what.padEnd(44)} ${median.toFixed(2)} s (${goal})\n`);
}
