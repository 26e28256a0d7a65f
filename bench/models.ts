import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../schemas/format.js';
import { tableBegun } from '../src/base/observed.js';
import type { Database } from '../src/warehouse/duckdb/database.js';
import { openWarehouse, type Warehouse } from '../src/warehouse/duckdb/open.js';
import { loadLanding } from '../src/warehouse/load/load.js';
import { fillChanged, putSettings } from '../src/warehouse/models/build-model.js';
import { readModels } from '../src/warehouse/models/models.js';
import { buildModels } from '../src/warehouse/models/run-models.js';
import { landChangedReports, landReports } from './financials/land-reports.js';
import { report } from './report/report.js';
import { measured, type Cell, type ResultTable } from './report/result.js';
import { DAY_MS } from '../src/base/time/time.js';
import { Data } from '../src/store/data.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const COMPANIES = 20_000;
const ROUNDS = Number(process.env['MODELS_ROUNDS'] ?? 4);
const NIGHTS = ['first night', '1 % changed', 'nothing changed'];
/** Name of a model whose plan is printed. */
const EXPLAIN = process.env['MODELS_EXPLAIN'];
const FIRST_NIGHT = Date.parse('2026-11-20T04:00:00Z');
/** Models below this CPU time in every night are one line of the table. */
const SMALL_MS = 50;

/** Cost of a night, in milliseconds of CPU time. */
interface Cost {
  load: number;
  /** The whole build, from opening the warehouse until it is closed. */
  models: number;
  /** Number of statements of the build. */
  statements: number;
  /** The rows of each model, by name of the model. `other` is work before the first model. */
  rows: Map<string, number>;
  /** The audits of each model. */
  audits: Map<string, number>;
}

/**
 * Measures the CPU time of each model and of its audits: on a first night, on a night after which 1 % of the companies
 * changed, and on a night after which nothing changed. Compares the models with the load of the same night.
 * `MODELS_ROUNDS` (2.6 million values each) sets the size. `MODELS_EXPLAIN=core.financials` also prints the plan of this
 * model.
 */
export async function benchModels(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-models-'));
  try {
    await landReports(dataDir, { companies: COMPANIES, rounds: ROUNDS });
    const costs: Cost[] = [];
    for (const night of NIGHTS.keys()) {
      if (night === 1)
        await landChangedReports(dataDir, { companies: COMPANIES, rounds: ROUNDS, night, at: at(night), share: 0.01 });
      costs.push(await measureNight(dataDir, night));
    }
    const rows = await countRows(dataDir);
    report({
      bench: 'models',
      settings: { MODELS_ROUNDS: ROUNDS },
      rounds: 1,
      tables: [summaryOf(costs, [`${formatCount(rows)} values`, ...NIGHTS]), tableOf(costs, NIGHTS)],
    });
    if (EXPLAIN !== undefined) await withWarehouse(dataDir, (warehouse) => explain(warehouse, EXPLAIN));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const at = (night: number): Date => new Date(FIRST_NIGHT + night * DAY_MS);

/** Opens and closes the warehouse in each step, as each activity of the worker does. */
async function measureNight(dataDir: string, night: number): Promise<Cost> {
  const load = await cpuOf(() => withWarehouse(dataDir, (warehouse) => loadLanding(warehouse, new Data(dataDir))));
  const cost: Cost = { load, models: 0, statements: 0, rows: new Map(), audits: new Map() };
  cost.models = await cpuOf(() =>
    withWarehouse(dataDir, async (warehouse) => {
      const stop = measureStatements(warehouse.db, cost);
      await buildModels(warehouse, { now: at(night) });
      stop();
    }),
  );
  return cost;
}

async function withWarehouse(dataDir: string, work: (warehouse: Warehouse) => Promise<unknown>): Promise<void> {
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

async function countRows(dataDir: string): Promise<number> {
  let rows = 0;
  await withWarehouse(dataDir, async ({ db }) => {
    rows = await db.count('SELECT count(*) FROM core.financials');
  });
  return rows;
}

/** Adds the CPU time of each statement to the model whose build runs it. */
function measureStatements(db: Database, cost: Cost): () => void {
  let model = 'other';
  const stopListening = tableBegun.listen(({ name }) => (model = name));
  for (const method of ['run', 'rows'] as const) {
    const original = db[method].bind(db) as (sql: string, ...rest: never[]) => Promise<never>;
    const counted = async (sql: string, ...rest: never[]): Promise<unknown> => {
      let result: unknown;
      const ms = await cpuOf(async () => (result = await original(sql, ...rest)));
      const sums = /^SELECT \(?(?:SELECT )?count\(\*\)/.test(sql) ? cost.audits : cost.rows;
      const name = /^(?:COMMIT|CHECKPOINT)/.test(sql) ? 'commit and checkpoint' : model;
      sums.set(name, (sums.get(name) ?? 0) + ms);
      cost.statements++;
      return result;
    };
    Object.defineProperty(db, method, { value: counted });
  }
  return stopListening;
}

/** Makes the table of the models that need the most time. The other models are one line. */
function tableOf(costs: readonly Cost[], columns: string[]): ResultTable {
  const of = (cost: Cost, models: readonly string[]): number[] =>
    [cost.rows, cost.audits].map((sums) => models.reduce((ms, model) => ms + (sums.get(model) ?? 0), 0));
  const longest = (model: string): number => Math.max(...costs.map((cost) => sum(of(cost, [model]))));
  const names = [...new Set(costs.flatMap(({ rows, audits }) => [...rows.keys(), ...audits.keys()]))];
  const large = names.filter((model) => longest(model) >= SMALL_MS).toSorted((a, b) => longest(b) - longest(a));
  const small = names.filter((model) => !large.includes(model));
  const row = (name: string, models: readonly string[]): ResultTable['rows'][number] => ({
    name,
    cells: costs.flatMap((cost) => of(cost, models).map(seconds)),
  });
  return {
    name: 'CPU by model',
    columns: ['model', ...columns.flatMap((night) => [`${night}: rows`, 'audits'])],
    rows: [...large.map((model) => row(model, [model])), row(`${small.length} others`, small)],
  };
}

function summaryOf(costs: readonly Cost[], columns: string[]): ResultTable {
  const row = (name: string, cell: (cost: Cost) => Cell): ResultTable['rows'][number] => ({
    name,
    cells: costs.map(cell),
  });
  return {
    name: 'CPU of the build',
    columns,
    rows: [
      row('all models', ({ models }) => seconds(models)),
      row('load of the reports', ({ load }) => seconds(load)),
      row('models ÷ load', ({ models, load }) => measured([models / load], 'ratio')),
      row('statements of the build', ({ statements }) => String(statements)),
    ],
  };
}

const seconds = (ms: number): Cell => measured([ms / 1_000], 'seconds');

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Prints the plan of a model with the time of each step, for all keys. */
async function explain({ db }: Warehouse, name: string): Promise<void> {
  const model = (await readModels()).find((one) => one.model === name);
  if (model === undefined) throw new Error(`MODELS_EXPLAIN names no model: ${name}`);
  await putSettings(db, { personalData: false });
  await fillChanged(db, model, 'whole');
  const plan = await db.rows<{ explain_value: string }>(`EXPLAIN ANALYZE ${model.sql}`);
  for (const { explain_value: text } of plan) process.stdout.write(`${text}\n`);
}

/** CPU milliseconds of this process while `work` runs. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
