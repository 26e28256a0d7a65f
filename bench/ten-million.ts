import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildModels } from '../src/models/run-models.js';
import { loadLanding } from '../src/load/load.js';
import { openWarehouse, type Warehouse } from '../src/duckdb/open.js';
import { publish } from '../src/publish/publish.js';
import { publishedFile } from '../src/core/data-folder.js';
import { landReports } from './financials/land-reports.js';
import { formatCount } from '../schemas/format.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const COMPANIES = 20_000;
const ROUNDS = 4;
const MEMORY = '1000MB';

/**
 * Loads, models and publishes ten million financial values in one process. Prints the time and peak memory of each
 * step.
 */
export async function benchTenMillion(): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
  try {
    for (const step of ['land', 'work']) await inChild(step, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs a step in its own process: its peak memory then includes no other step. */
async function inChild(step: string, dir: string): Promise<void> {
  const file = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, ['--import', 'tsx', file, step, dir], {
    stdio: 'inherit',
    env: { ...process.env, TIDEMARK_WAREHOUSE_MEMORY: MEMORY },
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`step ${step} ended with ${String(code)}`);
}

async function work(dataDir: string): Promise<void> {
  const now = new Date('2026-11-20T04:00:00Z');
  const steps: [name: string, run: (warehouse: Warehouse) => Promise<unknown>][] = [
    ['load', (warehouse) => loadLanding(warehouse, dataDir)],
    ['models', (warehouse) => buildModels(warehouse, { now })],
    ['publish', (warehouse) => publish(warehouse, dataDir, { run: 'bench', now })],
  ];
  for (const [name, run] of steps) {
    const begun = performance.now();
    // Open and close the warehouse in each step, as each activity of the worker does.
    const warehouse = await openWarehouse(dataDir);
    try {
      await run(warehouse);
      if (name === 'models') await tell(warehouse);
    } finally {
      await warehouse.close();
    }
    const seconds = (performance.now() - begun) / 1000;
    const peak = process.resourceUsage().maxRSS / 1024;
    process.stdout.write(
      `  ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s   peak memory so far ${peak.toFixed(0)} MiB\n`,
    );
  }
  process.stdout.write(`  published: ${(statSync(publishedFile(dataDir)).size / 1024 / 1024).toFixed(0)} MiB\n`);
}

async function tell({ db }: Warehouse): Promise<void> {
  const rows = await db.count('SELECT count(*) FROM core.financials');
  process.stdout.write(`  ${formatCount(rows)} rows in core.financials\n`);
}

const [, started, step, dir] = process.argv;
if (started === fileURLToPath(import.meta.url) && dir !== undefined) {
  const dataDir = path.join(dir, 'data');
  if (step === 'work') await work(dataDir);
  else {
    const bytes = await landReports(dataDir, { companies: COMPANIES, rounds: ROUNDS });
    process.stdout.write(
      `ten-million: ${COMPANIES * ROUNDS} reports, ${(bytes / 1e6).toFixed(0)} MB of bodies; DuckDB may take ${MEMORY}\n`,
    );
  }
}
