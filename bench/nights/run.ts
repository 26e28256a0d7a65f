import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../../schemas/format.js';
import { currentBuild } from '../../src/warehouse/builds/builds.js';
import { buildDir, fileOf, landingDir, lakeOf, warehouseFile } from '../../src/store/data-folder.js';
import { openWarehouse, type Warehouse } from '../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { report } from '../report/report.js';
import { measured, median, type Cell } from '../report/result.js';
import { cpuMs } from '../statement-costs.js';
import { at, landNight, runOf } from './land-night.js';
import { Data } from '../../src/store/data.js';

const COMPANIES = Number(process.env['NIGHTS_COMPANIES'] ?? 20_000);
const NIGHTS = Number(process.env['NIGHTS'] ?? 365);
/** Nights between the compared ones are loaded, built and published in groups of this size. */
const GROUP = Number(process.env['NIGHTS_GROUP'] ?? 1);
const CHANGED_SHARE = 0.01;
/** Number of early nights that are compared with as many late nights. */
const COMPARED = 5;
const STEPS = ['load', 'models', 'publish'] as const;

type Step = (typeof STEPS)[number];
/** CPU milliseconds of each step after landing. */
type Cost = Record<Step, number>;

/**
 * Runs one market for many nights; 1 % of the companies change each night. Compares the CPU time of the last five nights
 * with that of the second to sixth night. A copy of the data folder after the first night keeps the early nights for
 * the end, so that early and late nights are measured in turns. `NIGHTS`, `NIGHTS_COMPANIES` and `NIGHTS_GROUP` make it
 * faster.
 */
export async function benchNights(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-nights-'));
  const [early, late] = [path.join(folder, 'early'), path.join(folder, 'late')];
  const costs: Record<'early' | 'late', Cost[]> = { early: [], late: [] };
  try {
    await runNight(late, 0);
    const first = sizesOf(late);
    cpSync(late, early, { recursive: true, verbatimSymlinks: true });
    for (let night = 1; night < NIGHTS - COMPARED; night++) {
      await land(late, night);
      if (night % GROUP !== 0 && night !== NIGHTS - COMPARED - 1) continue;
      const cost = await processNight(late, night);
      if (night % GROUP === 0) process.stdout.write(`  night ${night + 1}: ${describe(cost)}\n`);
    }
    for (let i = 0; i < COMPARED; i++) {
      costs.early.push(await runNight(early, 1 + i));
      costs.late.push(await runNight(late, NIGHTS - COMPARED + i));
      process.stdout.write(`  early: ${describe(costs.early[i]!)}; late: ${describe(costs.late[i]!)}\n`);
    }
    saveReport(costs, [first, sizesOf(late)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runNight(dataDir: string, night: number): Promise<Cost> {
  await land(dataDir, night);
  return processNight(dataDir, night);
}

const land = (dataDir: string, night: number): Promise<void> =>
  landNight(dataDir, night, { companies: COMPANIES, changedShare: CHANGED_SHARE });

/** Measures what happens after landing. Opens the warehouse in each step, as each activity does. */
async function processNight(dataDir: string, night: number): Promise<Cost> {
  const request = { run: runOf(night), now: at(night, 61), graceSeconds: 0, keep: 1 };
  return {
    load: await cpuOf(dataDir, (warehouse) => loadLanding(warehouse, new Data(dataDir))),
    models: await cpuOf(dataDir, (warehouse) => buildModels(warehouse, { now: at(night, 60) })),
    publish: await cpuOf(dataDir, (warehouse) => publish(warehouse, dataDir, request)),
  };
}

async function cpuOf(dataDir: string, work: (warehouse: Warehouse) => Promise<unknown>): Promise<number> {
  const before = cpuMs();
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await work(warehouse);
  } finally {
    await warehouse.close();
  }
  return cpuMs() - before;
}

function saveReport({ early, late }: Record<'early' | 'late', Cost[]>, sizes: [Sizes, Sizes]): void {
  const row = (name: string, of: (cost: Cost) => number): { name: string; cells: Cell[] } => ({
    name,
    cells: [
      ...[early, late].map((costs) =>
        measured(
          costs.map((cost) => of(cost) / 1_000),
          'seconds',
        ),
      ),
      measured([median(late.map(of)) / median(early.map(of))], 'ratio'),
    ],
  });
  report({
    bench: 'nights',
    settings: { NIGHTS_COMPANIES: COMPANIES, NIGHTS, NIGHTS_GROUP: GROUP },
    rounds: COMPARED,
    tables: [
      {
        name: 'CPU',
        columns: [
          `CPU time, ${formatCount(COMPANIES)} companies`,
          `nights 2 to ${COMPARED + 1}`,
          `nights ${NIGHTS - COMPARED + 1} to ${NIGHTS}`,
          'ratio',
        ],
        rows: [...STEPS.map((step) => row(step, (cost) => cost[step])), row('all after landing', total)],
      },
      {
        name: 'sizes',
        columns: ['size', 'after night 1', `after night ${NIGHTS}`],
        rows: Object.keys(sizes[0]).map((name) => ({
          name,
          cells: sizes.map((size) => measured([size[name as keyof Sizes]], 'MiB')),
        })),
      },
    ],
  });
}

const total = (cost: Cost): number => STEPS.reduce((sum, step) => sum + cost[step], 0);

const describe = (cost: Cost): string => STEPS.map((step) => `${step} ${(cost[step] / 1_000).toFixed(2)} s`).join(', ');

type Sizes = Record<'landing zone' | 'warehouse' | 'published file' | 'lake', number>;

function sizesOf(dataDir: string): Sizes {
  const build = buildDir(dataDir, currentBuild(dataDir) ?? '');
  return {
    'landing zone': mebibytes(landingDir(dataDir)),
    warehouse: mebibytes(warehouseFile(dataDir)),
    'published file': mebibytes(fileOf(build)),
    lake: mebibytes(lakeOf(build)),
  };
}

function mebibytes(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size / 2 ** 20;
  return readdirSync(file).reduce((sum, name) => sum + mebibytes(path.join(file, name)), 0);
}
