import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { queryPublished } from '../../src/warehouse/builds/published.js';
import { showBuild } from '../../src/warehouse/builds/switch.js';
import { warehouseFile } from '../../src/store/data-folder.js';
import { errorMessage } from '../../src/base/errors.js';
import { openWarehouse, type Warehouse } from '../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { readModels, type Model } from '../../src/warehouse/models/models.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { applyModels, rollbackModels } from '../../src/warehouse/publish/apply-models.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { findDifferences } from './compare-published.js';
import { cleanEnv } from './processes.js';
import { land, marketNight, type Answer } from './warehouse.js';
import { generator } from '../../bench/planner/random.js';
import { Data } from '../../src/store/data.js';

/** What happened in some random nights. */
export interface NightsReport {
  /** Number of nights by event. */
  events: Record<string, number>;
  /** One line per night whose published file differs from the warehouse, or whose readers saw a wrong file. */
  faults: string[];
}

const EVENTS = [
  // A night that is published. Listed often, because most nights are like this.
  ...Array.from({ length: 8 }, () => 'publish'),
  // A night that is built but not published.
  'held back',
  'held back',
  // The writer is killed with SIGKILL while it loads, builds or publishes.
  'kill',
  'kill',
  // An own model changes.
  'model',
  // Readers are switched to the previous build.
  'switch back',
  'models rollback',
  'models apply',
  // The warehouse is replaced by an older copy.
  'restore',
] as const;

/** Options of `runRandomNights`. */
export interface NightsOptions {
  nights: number;
  seed: number;
  /** Events that happen in the first nights, in this order. */
  always?: readonly (typeof EVENTS)[number][];
  /** Models to build, with the models that they read. Default: all. */
  only?: readonly string[];
}

/**
 * Runs nights with random changes and events. After each publication, compares the published file with the warehouse.
 */
export async function runRandomNights(
  dataDir: string,
  { nights, seed, always = [], only }: NightsOptions,
): Promise<NightsReport> {
  const random = generator(seed);
  const report: NightsReport = { events: {}, faults: [] };
  const place = { dataDir, modelsDir: path.join(dataDir, 'own-models'), only };
  const backup = path.join(dataDir, 'older.duckdb');
  writeOwnModel(place.modelsDir, 0);
  for (let night = 0; night < nights; night++) {
    const event = night === 0 ? 'publish' : (always[night - 1] ?? pick(random, EVENTS));
    report.events[event] = (report.events[event] ?? 0) + 1;
    const fault = (what: string): void => void report.faults.push(`seed ${seed}, night ${night}, ${event}: ${what}`);
    await land(dataDir, randomNight(random, night));
    if (event === 'model') writeOwnModel(place.modelsDir, night);
    if (event === 'switch back') await showBuild(dataDir, 'PREVIOUS').catch(() => undefined); // there may be only one
    if (event === 'restore' && night > 3) cpSync(backup, warehouseFile(dataDir));
    if (event === 'kill') {
      await killWriter(place, night, random);
      const seen = await queryPublished(
        dataDir,
        `SELECT (SELECT count(*) FROM core.financials) = (tables ->> '$."core.financials"')::BIGINT FROM meta.receipt`,
      );
      if (seen[0]?.[0] !== true) fault(`readers saw ${JSON.stringify(seen)}`);
    }
    const applied = { now: timeOf(night, 200), personalData: false, modelsDir: place.modelsDir };
    if (event === 'models rollback')
      await rollbackModels(new Data(dataDir), applied).catch((error: unknown) => {
        if (!/no other set/.test(errorMessage(error))) throw error;
      });
    if (event === 'models apply') await applyModels(new Data(dataDir), applied);
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      await buildNight(warehouse, place, night);
      if (event !== 'held back') await publishNight(warehouse, dataDir, night);
    } finally {
      await warehouse.close();
    }
    if (event !== 'held back') for (const difference of await findDifferences(dataDir)) fault(difference);
    if (night % 25 === 2) cpSync(warehouseFile(dataDir), backup);
  }
  return report;
}

interface Place {
  dataDir: string;
  modelsDir: string;
  only?: readonly string[] | undefined;
}

async function buildNight(warehouse: Warehouse, { dataDir, modelsDir, only }: Place, night: number): Promise<void> {
  await loadLanding(warehouse, new Data(dataDir));
  const now = timeOf(night, 240);
  await buildModels(
    warehouse,
    only === undefined ? { now, modelsDir } : { now, models: await select(modelsDir, only) },
  );
}

/** Reads the named models and the models that they read. */
async function select(modelsDir: string, only: readonly string[]): Promise<Model[]> {
  const models = await readModels(modelsDir);
  const names = new Set(only);
  for (const { model, parents } of models.toReversed())
    if (names.has(model)) for (const name of parents) names.add(name);
  return models.filter(({ model }) => names.has(model));
}

const publishNight = (warehouse: Warehouse, dataDir: string, night: number) =>
  publish(warehouse, dataDir, { run: `r${night}`, now: timeOf(night, 300), graceSeconds: 0, keep: 2 });

/** Loads, builds and publishes in another process, and kills it at a random moment. */
async function killWriter(
  { dataDir, modelsDir, only = [] }: Place,
  night: number,
  random: () => number,
): Promise<void> {
  const step = pick(random, ['load', 'model', 'publish', 'publish', 'publish']);
  const file = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, ['--import', 'tsx', file, dataDir, modelsDir, String(night), ...only], {
    env: cleanEnv({ TIDEMARK_WAREHOUSE_THREADS: '1' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let told = '';
  child.stdout.on('data', (text: Buffer) => void (told += text.toString()));
  const isThere = async (): Promise<void> => {
    while (!told.includes(`step ${step}\n`) && child.exitCode === null) await sleep(5);
  };
  await isThere();
  await sleep(random() * 600);
  child.kill('SIGKILL');
  await ended;
}

/** The answers of a night: companies that come and go, changed and repeated records, restated and removed values. */
function randomNight(random: () => number, night: number): Answer[] {
  const run = `r${night}`;
  const date = timeOf(night, 0).toISOString().slice(0, 10);
  const ids = Array.from({ length: 30 }, (_, i) => i + 1 + Math.floor(night / 3)).filter(() => random() < 0.9);
  const answers: Answer[] = night % 4 === 3 ? [] : marketNight({ run, date, ids });
  const place = { run, date, market: 'm' };
  for (const id of ids) {
    if (night > 0 && random() > 0.15) continue;
    const at = timeOf(night, 30 + Math.floor(random() * 60)).toISOString();
    const phones = pick(random, [null, [], ['1'], ['1', '2'], ['2', '1']]);
    const entity = String(id);
    if (random() < 0.1) answers.push({ ...place, stream: 'companies', entity, at, status: 404, body: {} });
    else
      answers.push({
        ...place,
        stream: 'companies',
        entity,
        at,
        body: { id, name: `Company ${Math.floor(random() * 3)}`, status: 'Active', company_phone: phones },
      });
    const years = [2022, 2023, 2024].filter(() => random() < 0.9);
    const values = () => ({
      Turnover: pick(random, [0, -0, 1.5, 1e300, '12', null]),
      Currency: pick(random, ['EUR', 'DKK']),
      EBITDA: Math.floor(random() * 3),
    });
    answers.push({
      ...place,
      stream: 'financials',
      entity,
      at,
      body: Object.fromEntries(years.map((year) => [year, values()])),
    });
  }
  return answers;
}

/** Writes an own model of kind `incremental`. `variant` changes its query. */
function writeOwnModel(folder: string, variant: number): void {
  mkdirSync(path.join(folder, 'marts'), { recursive: true });
  writeFileSync(
    path.join(folder, 'marts', 'own_totals.sql'),
    `/*
model: marts.own_totals
kind: incremental
version: 1
grain: company
key: [company_id]
description: Number of values of a company.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  total: BIGINT | Number of values
*/
SELECT company_id, count(*) + ${variant} AS total FROM core.financials SEMI JOIN changed USING (company_id) GROUP BY company_id
`,
  );
}

function timeOf(night: number, minute: number): Date {
  return new Date(Date.parse('2026-01-01T00:00:00Z') + night * 86_400_000 + minute * 60_000);
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const [, started, dataDir, modelsDir, night, ...only] = process.argv;
if (started === fileURLToPath(import.meta.url) && dataDir !== undefined && modelsDir !== undefined) {
  const step = (name: string): void => void process.stdout.write(`step ${name}\n`);
  const warehouse = await openWarehouse(new Data(dataDir));
  step('load');
  await loadLanding(warehouse, new Data(dataDir));
  step('model');
  await buildNight(warehouse, { dataDir, modelsDir, only: only.length > 0 ? only : undefined }, Number(night));
  step('publish');
  await publishNight(warehouse, dataDir, Number(night));
  await warehouse.close();
}
