import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeProject } from '../test/helpers/project.js';
import { cleanEnv, compiled } from '../test/helpers/processes.js';
import { startTemporal } from '../test/helpers/temporal.js';
import { CPU_REPORT, readCpuReport } from './process-usage.js';
import { report } from './report/report.js';
import { measured, type ResultTable } from './report/result.js';

const ROUNDS = Number(process.env['STARTUP_ROUNDS'] ?? 5);

/** Measures how long commands take to start: CPU seconds, and seconds until a worker polls. */
export async function benchStartup(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-startup-'));
  try {
    await publishEmptyFile(folder);
    const row = (name: string, times: number[], goal: string): ResultTable['rows'][number] => ({
      name,
      cells: [measured(times, 'seconds'), goal],
    });
    report({
      bench: 'startup',
      settings: { STARTUP_ROUNDS: ROUNDS },
      rounds: ROUNDS,
      tables: [
        {
          name: 'startup',
          columns: ['command', 'measured', 'goal'],
          rows: [
            row('`tidemark --help`, CPU time', cpuOf(['--help'], folder), '0.4 s'),
            row('`tidemark sql "select 1"` on an empty build, CPU time', cpuOf(['sql', 'select 1'], folder), '0.8 s'),
            row('`tidemark worker` until it polls Temporal for work, wall time', await workerStart(), '3 s'),
          ],
        },
      ],
    });
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
    const all = ['--import', CPU_REPORT, ...compiled(['bin/tidemark.mjs', ...args])];
    const { stderr, status } = spawnSync(process.execPath, all, { cwd, env: cleanEnv({}), encoding: 'utf8' });
    if (status !== 0) throw new Error(`tidemark ${args.join(' ')} failed:\n${stderr}`);
    return readCpuReport(stderr);
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
