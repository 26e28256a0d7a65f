import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { buildDir, deltaOf, fileOf } from '../../../../src/store/data-folder.js';
import { writeEmptyWarehouse } from '../../../../src/warehouse/duckdb/empty-warehouse.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { countStatements } from '../../../helpers/count-statements.js';
import { land, marketNight, prepareOnce, type Answer } from '../../../helpers/warehouse.js';

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
  statements: { load: number; models: number; publish: number };
  /** Number of rows that the publication added, replaced or removed. */
  changedRows: number | null;
  /** Files of the build that the build before does not share, by their path in the build. */
  files: string[];
  /** Growth of the published file, in blocks. */
  growth: number;
  /** Size of the new files of `lake-delta/`. */
  deltaBytes: number;
}

let unchanged: Night;
let five: Night;
let fifty: Night;

prepareOnce(async (dataDir) => {
  const ids = Array.from({ length: COMPANIES }, (_, i) => i + 1);
  await writeEmptyWarehouse(dataDir);
  const warehouse = await openWarehouse(dataDir);
  try {
    const market = marketNight({ run: 'r0', date: '2026-11-20', ids });
    await runNight(warehouse, dataDir, 0, [...market, ...ids.map((id) => report(id, 0))]);
    unchanged = await runNight(warehouse, dataDir, 1, []);
    const changed = (night: number, companies: number): Answer[] =>
      ids.slice(0, companies).map((id) => report(id * 8, night));
    five = await runNight(warehouse, dataDir, 2, changed(2, 5));
    fifty = await runNight(warehouse, dataDir, 3, changed(3, 50));
  } finally {
    await warehouse.close();
  }
});

/** Lands, loads, builds and publishes a night. */
async function runNight(warehouse: Warehouse, dataDir: string, night: number, answers: Answer[]): Promise<Night> {
  const { db } = warehouse;
  const now = new Date(NOW + night * DAY_MS);
  if (answers.length > 0) await land(dataDir, answers);
  const load = await countStatements(db, () => loadLanding(warehouse, dataDir));
  const models = await countStatements(db, () => buildModels(warehouse, { now }));
  let changedRows: number | null = null;
  const published = await countStatements(db, async () => {
    // As with large tables, `lake/` stays as it is.
    const request = { run: `r${night}`, now, graceSeconds: 0, smallLakeRows: 0 };
    ({ changedRows } = await publish(warehouse, dataDir, request));
  });
  const [folder, before] = listBuilds(dataDir).map(({ name }) => buildDir(dataDir, name)) as [string, string?];
  const known = new Set(before === undefined ? [] : filesOf(before).map((file) => statSync(file).ino));
  const files = filesOf(folder).filter((file) => !known.has(statSync(file).ino));
  const size = (build: string): number => statSync(fileOf(build)).size;
  return {
    statements: { load, models, publish: published },
    changedRows,
    files: files.map((file) => path.relative(folder, file)).toSorted(),
    growth: (size(folder) - size(before ?? folder)) / BLOCK,
    deltaBytes: files
      .filter((file) => file.startsWith(`${deltaOf(folder)}${path.sep}`) && file.endsWith('.parquet'))
      .reduce((sum, file) => sum + statSync(file).size, 0),
  };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

test('runs a fixed number of SQL statements, whatever the number of changed companies', () => {
  expect(unchanged.statements.load).toBeLessThanOrEqual(2);
  expect(unchanged.statements.models).toBeLessThanOrEqual(30);
  expect(unchanged.statements.publish).toBeLessThanOrEqual(50);
  expect(five.statements.load).toBeLessThanOrEqual(12);
  expect(five.statements.models).toBeLessThanOrEqual(166);
  expect(five.statements.publish).toBeLessThanOrEqual(224);
  expect(fifty.statements).toEqual(five.statements);
});

test('publishes 16 rows for a changed company', () => {
  expect(unchanged.changedRows).toBe(0);
  // Ten values that were read again, a closed and a new version in the history, and a row each in four marts.
  const perCompany = (fifty.changedRows! - five.changedRows!) / 45;
  expect(perCompany).toBeGreaterThan(15.9);
  expect(perCompany).toBeLessThan(16.1);
  // The other rows are totals of industries and regions, and the checks of the night.
  expect(five.changedRows).toBeLessThanOrEqual(5 * 16 + 95);
});

test('writes few bytes for a changed company', () => {
  expect(unchanged.growth).toBeLessThanOrEqual(2);
  expect(five.growth).toBeLessThanOrEqual(12);
  expect(fifty.growth).toBeLessThanOrEqual(12);
  expect(unchanged.deltaBytes).toBe(0);
  expect(fifty.deltaBytes - five.deltaBytes).toBeLessThan(45 * 200);
});

test('writes only the file, the indexes and one file for each changed table', () => {
  const always = ['lake-delta/_current.json', 'lake/_files.json', 'market.duckdb'];
  const tables = [
    'core/financials',
    'core/financials_history',
    'marts/changes',
    'marts/companies',
    'marts/company_years',
    'marts/financials_wide',
    'marts/industry_years',
    'marts/region_years',
    'ops/checks',
    'ops/freshness',
  ];
  expect(unchanged.files).toEqual(always);
  for (const [night, version] of [
    [five, '0001'],
    [fifty, '0002'],
  ] as const)
    expect(night.files).toEqual(
      [...always, ...tables.map((table) => `lake-delta/${table}/${version}.parquet`)].toSorted(),
    );
});
