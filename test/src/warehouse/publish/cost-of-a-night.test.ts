import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { buildDir, fileOf } from '../../../../src/store/data-folder.js';
import { writeEmptyWarehouse } from '../../../../src/warehouse/models/empty-warehouse.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { countStatements } from '../../../helpers/count-statements.js';
import { land, marketNight, prepareOnce, publishAndReopen, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

/*
 * Counts what a night costs. Counts do not depend on the machine, as times do. If a limit is exceeded, a night has become
 * more expensive: find out why before you raise the limit.
 */

const COMPANIES = 400;
const YEARS = [2023, 2024];
const NOW = Date.parse('2026-11-20T04:00:00Z');
const DAY_MS = 86_400_000;
// DuckDB writes its files in blocks.
const BLOCK = 256 * 1_024;

/** A report of ten values; the Turnover of the last year differs each night. */
const report = (company: number, night: number): Answer => ({
  stream: 'financials',
  entity: String(company),
  at: new Date(NOW + night * DAY_MS).toISOString(),
  body: Object.fromEntries(
    YEARS.map((year) => [
      year,
      {
        Turnover: company * 1_000 + (year === 2024 ? night : 0),
        EBITDA: company,
        Cash: 7,
        'Net-Worth': 3,
        Currency: 'EUR',
      },
    ]),
  ),
});

interface Night {
  /** Number of SQL statements. */
  statements: { load: number; models: number };
  /** Files of the build that the build before does not share, by their path in the build. */
  files: string[];
  /** Growth of the published file, in blocks. */
  growth: number;
}

let unchanged: Night;
let five: Night;
let fifty: Night;

prepareOnce(async (dataDir) => {
  const ids = Array.from({ length: COMPANIES }, (_, i) => i + 1);
  await writeEmptyWarehouse(dataDir);
  let warehouse = await openWarehouse(new Data(dataDir));
  const runNight = async (night: number, answers: Answer[]): Promise<Night> => {
    const counted = await runSteps(warehouse, dataDir, night, answers);
    warehouse = await publishAndReopen(warehouse, dataDir, { run: `r${night}`, now: nowOf(night), graceSeconds: 0 });
    return { statements: counted, ...readBuild(dataDir) };
  };
  try {
    const market = marketNight({ run: 'r0', date: '2026-11-20', ids });
    await runNight(0, [...market, ...ids.map((id) => report(id, 0))]);
    unchanged = await runNight(1, []);
    const changed = (night: number, companies: number): Answer[] =>
      ids.slice(0, companies).map((id) => report(id * 8, night));
    five = await runNight(2, changed(2, 5));
    fifty = await runNight(3, changed(3, 50));
  } finally {
    await warehouse.close();
  }
});

const nowOf = (night: number): Date => new Date(NOW + night * DAY_MS);

/** Lands, loads and builds a night. */
async function runSteps(
  warehouse: Warehouse,
  dataDir: string,
  night: number,
  answers: Answer[],
): Promise<Night['statements']> {
  const { db } = warehouse;
  if (answers.length > 0) await land(dataDir, answers);
  const load = await countStatements(db, () => loadLanding(warehouse, new Data(dataDir)));
  const models = await countStatements(db, () => buildModels(warehouse, { now: nowOf(night) }));
  return { load, models };
}

/** Compares the last build with the one before. */
function readBuild(dataDir: string): Omit<Night, 'statements'> {
  const [folder, before] = listBuilds(dataDir).map(({ name }) => buildDir(dataDir, name)) as [string, string?];
  const known = new Set(before === undefined ? [] : filesOf(before).map((file) => statSync(file).ino));
  const files = filesOf(folder).filter((file) => !known.has(statSync(file).ino));
  const size = (build: string): number => statSync(fileOf(build)).size;
  return {
    files: files.map((file) => path.relative(folder, file).replace(/-[0-9a-f]{16}(?=\.parquet$)/, '')).toSorted(),
    growth: (size(folder) - size(before ?? folder)) / BLOCK,
  };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

test('runs a fixed number of SQL statements, whatever the number of changed companies', () => {
  expect(unchanged.statements.load).toBeLessThanOrEqual(2);
  expect(unchanged.statements.models).toBeLessThanOrEqual(30);
  expect(five.statements.load).toBeLessThanOrEqual(12);
  expect(five.statements.models).toBeLessThanOrEqual(162);
  expect(fifty.statements).toEqual(five.statements);
});

test('writes few blocks, and uses freed ones again', () => {
  expect(unchanged.growth).toBeLessThanOrEqual(2);
  // The first changed night finds no free blocks.
  expect(five.growth).toBeLessThanOrEqual(30);
  expect(fifty.growth).toBeLessThanOrEqual(12);
});

test('writes only the file, the index, the receipt and the lake files of changed tables', () => {
  const always = ['build.json', 'lake/_files.json', 'lake/meta/receipt/data.parquet', 'market.duckdb'];
  const tables = [
    'base/checks',
    'base/report_years',
    'base/restated_values',
    'base/year_values',
    'core/financials',
    'core/financials_history',
    'core/indicators',
    'core/report_years',
    'marts/changes',
    'marts/companies',
    'marts/company_years',
    'marts/financials_disagreement',
    'marts/financials_wide',
    'marts/industry_years',
    'marts/region_years',
    'ops/checks',
    'ops/freshness',
  ];
  const changed = [...always, ...tables.map((table) => `lake/${table}/data.parquet`)].toSorted();
  expect(unchanged.files).toEqual(always);
  expect(five.files).toEqual(changed);
  expect(fifty.files).toEqual(changed);
});
