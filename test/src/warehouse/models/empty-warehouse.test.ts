import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { warehouseFile } from '../../../../src/store/data-folder.js';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import type * as Open from '../../../../src/warehouse/duckdb/open.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { writeEmptyWarehouse } from '../../../../src/warehouse/models/empty-warehouse.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { findBuild } from '../../../helpers/processes.js';
import { land, marketNight, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-20T04:00:00Z');
const ANSWERS: Answer[] = [
  ...marketNight({ run: 'n', date: '2026-11-20', ids: [1, 2] }),
  { stream: 'companies', entity: '1', body: { id: 1, name: 'A' } },
  { stream: 'financials', entity: '1', body: { 2024: { Turnover: 1 } } },
];

/** Loads the answers and builds the models. Returns what the warehouse then has. */
async function firstNight(warehouse: Warehouse, dataDir: string): Promise<unknown> {
  await land(dataDir, ANSWERS);
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse, { now: NOW });
  return readAll(warehouse.db);
}

async function readAll(db: Database): Promise<unknown> {
  const found: Record<string, unknown> = {};
  const tables = (await readModels()).map(({ model }) => model);
  for (const table of [...tables, 'base.models', 'base.model_changes', 'base.model_sets'])
    found[table] = {
      columns: await db.rows(`SELECT column_name, column_type FROM (DESCRIBE ${table})`),
      rows: await db.rows(`SELECT * FROM ${table} ORDER BY ALL`),
    };
  const comments = `SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal ORDER BY ALL`;
  return { found, comments: await db.rows(comments) };
}

test('a first night in a copied warehouse gives the same tables, comments and records as in a new one', async () => {
  const [copied, made] = [temporaryDataDir(), temporaryDataDir()];
  await writeEmptyWarehouse(copied);
  const results: unknown[] = [];
  for (const dataDir of [copied, made]) {
    const warehouse = await openWarehouse(new Data(dataDir));
    results.push(await firstNight(warehouse, dataDir));
    await warehouse.close();
  }
  expect(results[0]).toEqual(results[1]);
});

test('a build copies its warehouse with all models, but without a record that they were applied', async () => {
  const dataDir = temporaryDataDir();
  const build = findBuild();
  expect(readdirSync(build).filter((name) => name.startsWith('template-'))).toHaveLength(1);
  const { openWarehouse: openBuilt } = (await import(
    path.join(build, 'src', 'warehouse', 'duckdb', 'open.js')
  )) as typeof Open;
  const warehouse = await openBuilt(new Data(dataDir));
  const { db } = warehouse;
  expect(await db.count('SELECT count(*) FROM core.companies')).toBe(0);
  expect(await db.count('SELECT count(*) FROM base.models')).toBe(0);
  await warehouse.close();
  expect(existsSync(`${warehouseFile(dataDir)}.new`)).toBe(false);
  const again = await openWarehouse(new Data(dataDir));
  expect(await again.db.count('SELECT count(*) FROM base.models')).toBe(0);
  await again.close();
});
