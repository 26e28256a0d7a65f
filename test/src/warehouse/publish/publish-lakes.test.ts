import { chmodSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentLink, deltaOf, publishedDir, publishedLake } from '../../../../src/store/data-folder.js';
import type { Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import type { DeltaIndex } from '../../../../src/warehouse/builds/lake-index.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { findDifferences } from '../../../helpers/compare-published.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';

const FIRST = Date.parse('2026-11-20T04:00:00Z');
const DAY_MS = 86_400_000;
const IDS = Array.from({ length: 400 }, (_, i) => i + 1);

/** Lands, builds and publishes a night: the first one has all companies, a later one changes those in `changed`. */
async function publishNight(
  warehouse: Warehouse,
  dataDir: string,
  night: number,
  { changed = [night], ...policy }: { changed?: number[]; smallLakeRows?: number } = {},
): Promise<void> {
  const now = new Date(FIRST + night * DAY_MS);
  const ids = night === 0 ? IDS : changed;
  if (night === 0) await land(dataDir, marketNight({ run: 'r0', date: '2026-11-20', ids }));
  await land(
    dataDir,
    ids.map((id) => ({
      stream: 'financials',
      entity: String(id),
      at: now.toISOString(),
      body: { 2024: { Turnover: id + night, Currency: 'EUR' }, ...(night === 0 ? { 2023: { EBITDA: 1 } } : {}) },
    })),
  );
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { now });
  await publish(warehouse, dataDir, { run: `r${night}`, now, graceSeconds: 0, smallLakeRows: 0, ...policy });
  expect(await findDifferences(warehouse, dataDir)).toEqual([]);
}

async function firstNight(): Promise<{ dataDir: string; warehouse: Warehouse }> {
  const dataDir = temporaryDataDir();
  const warehouse = await openTestWarehouse(dataDir);
  await publishNight(warehouse, dataDir, 0);
  return { dataDir, warehouse };
}

/** Inode of each file of the current lake. */
const inodes = (dataDir: string): Record<string, number> => {
  const lake = publishedLake(dataDir);
  const names = readdirSync(lake, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'));
  return Object.fromEntries(names.map((name) => [name, statSync(path.join(lake, name)).ino]));
};
const indexOf = (dataDir: string): DeltaIndex =>
  JSON.parse(readFileSync(path.join(deltaOf(publishedDir(dataDir)), '_current.json'), 'utf8')) as DeltaIndex;

describe('a large lake', () => {
  test('stays as it was for 7 days, while the delta has the rows that differ', async () => {
    const { dataDir, warehouse } = await firstNight();
    const before = inodes(dataDir);
    expect(indexOf(dataDir)).toEqual({
      lake: { builtAt: '2026-11-20T04:00:00.000Z', run: 'r0' },
      version: 0,
      tables: {},
    });
    await publishNight(warehouse, dataDir, 1);
    await publishNight(warehouse, dataDir, 2, { changed: [1, 2] });
    expect(inodes(dataDir)).toEqual(before);
    const index = indexOf(dataDir);
    expect(index.lake.run).toBe('r0');
    const delta = path.join(deltaOf(publishedDir(dataDir)), 'core', 'financials');
    expect(readdirSync(delta)).toEqual(['0001.parquet', '0002.parquet']);
    // Each night: Turnover, Currency and the removed EBITDA of the companies that changed then.
    expect(index.tables['core.financials']).toMatchObject({
      key: ['company_id', 'fiscal_year', 'indicator', 'source'],
      files: [
        { file: 'core/financials/0001.parquet', version: 1, rows: 3 },
        { file: 'core/financials/0002.parquet', version: 2, rows: 5 },
      ],
    });
    expect(
      await warehouse.db.rows(
        `SELECT _version, company_id, indicator, value_double, _removed FROM '${delta}/*.parquet' WHERE indicator <> 'Currency' ORDER BY ALL`,
      ),
    ).toEqual([
      { _version: 1, company_id: '1', indicator: 'EBITDA', value_double: null, _removed: true },
      { _version: 1, company_id: '1', indicator: 'Turnover', value_double: 2, _removed: false },
      { _version: 2, company_id: '1', indicator: 'Turnover', value_double: 3, _removed: false },
      { _version: 2, company_id: '2', indicator: 'EBITDA', value_double: null, _removed: true },
      { _version: 2, company_id: '2', indicator: 'Turnover', value_double: 4, _removed: false },
    ]);
    await publishNight(warehouse, dataDir, 7);
    expect(indexOf(dataDir)).toEqual({
      lake: { builtAt: '2026-11-27T04:00:00.000Z', run: 'r7' },
      version: 0,
      tables: {},
    });
  });

  test('links the delta if nothing changed', async () => {
    const { dataDir, warehouse } = await firstNight();
    await publishNight(warehouse, dataDir, 1);
    const file = path.join(deltaOf(publishedDir(dataDir)), 'core', 'financials', '0001.parquet');
    const before = statSync(file).ino;
    await publish(warehouse, dataDir, { run: 'again', now: new Date(FIRST + 2 * DAY_MS), smallLakeRows: 0 });
    expect(statSync(file).ino).toBe(before);
    expect(readdirSync(path.dirname(file))).toEqual(['0001.parquet']);
    expect(await findDifferences(warehouse, dataDir)).toEqual([]);
  });

  test.each([
    ['the tables to write are small', { smallLakeRows: 1_000_000 }],
    ['many rows differ', { changed: IDS }],
  ])('is written again because %s', async (_, policy) => {
    const { dataDir, warehouse } = await firstNight();
    await publishNight(warehouse, dataDir, 1, policy);
    expect(indexOf(dataDir)).toMatchObject({ lake: { run: 'r1' }, tables: {} });
  });

  test.each([
    ['lake', 'data.parquet'],
    ['lake-delta', '0001.parquet'],
  ])('is written again because a file in %s is damaged', async (folder, name) => {
    const { dataDir, warehouse } = await firstNight();
    await publishNight(warehouse, dataDir, 1);
    const file = path.join(realpathSync(currentLink(dataDir)), folder, 'core', 'financials', name);
    chmodSync(file, 0o600);
    writeFileSync(file, 'torn');
    await publishNight(warehouse, dataDir, 2);
    expect(indexOf(dataDir)).toMatchObject({ lake: { run: 'r2' }, tables: {} });
    // The earlier build is not changed.
    expect(readFileSync(file, 'utf8')).toBe('torn');
  });
});
