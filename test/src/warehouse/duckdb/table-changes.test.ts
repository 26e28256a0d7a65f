import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { splitStatements } from '../../../../src/warehouse/duckdb/split-statements.js';
import { readSqlFile, readSqlFolder } from '../../../../src/warehouse/duckdb/sql-files.js';
import { ledgerWrite } from '../../../../src/warehouse/duckdb/table-changes.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import type { Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

describe('splitStatements', () => {
  test('splits every file that runs statement by statement as DuckDB does', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const files = [readSqlFile('schema.sql'), ...['macros', 'staging'].flatMap((folder) => readSqlFolder(folder))];
    const differing: string[] = [];
    for (const { name, text } of files) {
      const statements = splitStatements(text);
      const { count } = await connection.extractStatements(text);
      const counts = await Promise.all(statements.map((one) => connection.extractStatements(one)));
      if (counts.reduce((sum, one) => sum + one.count, 0) !== count) differing.push(name);
    }
    expect(files.length).toBeGreaterThan(30);
    expect(differing).toEqual([]);
    connection.closeSync();
    instance.closeSync();
  });

  test('ignores semicolons and comment marks in strings and names', () => {
    expect(splitStatements(`SELECT ';--', "a;/*" /* ; */ FROM t -- x;\n; \n-- end;\nSELECT 'it''s;'`)).toEqual([
      `SELECT ';--', "a;/*"   FROM t`,
      `SELECT 'it''s;'`,
    ]);
  });

  test('knows backslashes in strings after E only', () => {
    expect(splitStatements(String.raw`SELECT E'\''; SELECT e'a''\;'; SELECT name'\'; SELECT 2`)).toEqual([
      String.raw`SELECT E'\''`,
      String.raw`SELECT e'a''\;'`,
      String.raw`SELECT name'\'`,
      'SELECT 2',
    ]);
  });
});

describe('ledgerWrite', () => {
  test.each([
    ['INSERT INTO ledger.answers SELECT 1', 'ledger.answers', false],
    ['insert or ignore into "ledger"."Answers" values (1)', 'ledger.answers', false],
    ['\nMERGE INTO ledger.answers AS old USING x', 'ledger.answers', false],
    ['UPDATE ledger.answers SET a = 1', 'ledger.answers', false],
    ['DELETE FROM ledger.answers', 'ledger.answers', false],
    ['WITH x AS (SELECT 1) INSERT INTO ledger.answers FROM x', 'ledger.answers', false],
    ['INSERT INTO ledger.dirty_runs VALUES (1)', 'ledger.dirty_runs', false],
    ['INSERT INTO base.checks VALUES (1)', 'base.checks', false],
    ['TRUNCATE ledger.answers', 'ledger.answers', true],
    ['CREATE OR REPLACE TABLE ledger.answers AS SELECT 1', 'ledger.answers', true],
    ['DROP TABLE IF EXISTS ledger.answers', 'ledger.answers', true],
    ['ALTER TABLE ledger.answers ADD COLUMN a INTEGER', 'ledger.answers', true],
    ['CREATE OR REPLACE VIEW ledger.answers AS SELECT 1', 'ledger.answers', true],
  ])('finds the table of %j', (sql, table, always) => {
    expect(ledgerWrite(sql)).toEqual({ table, always });
  });

  test.each([
    'SELECT * FROM ledger.answers',
    'INSERT INTO batch SELECT * FROM ledger.answers',
    'CREATE OR REPLACE TEMP TABLE x AS SELECT * FROM ledger.answers',
    'DELETE FROM ledger.dirty_runs',
    'INSERT INTO ledger.model_inputs VALUES (1)',
  ])('counts nothing for %j', (sql) => {
    expect(ledgerWrite(sql)).toBeUndefined();
  });
});

describe('ledger.table_changes', () => {
  test('counts each table that a load changes, and no other', async () => {
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    const before = await contents(warehouse);
    const countedBefore = await counted(warehouse);
    await land(dataDir, [
      ...marketNight({ run: 'n', date: '2026-11-20', ids: [1] }),
      { stream: 'companies', entity: '1', body: { id: 1, name: 'A' } },
      { stream: 'financials', entity: '1', body: { 2024: { Turnover: 1 } } },
      { stream: 'nomenclatures', entity: 'v1', body: { regions: [{ id: 1, name: 'R' }] } },
    ]);
    await loadLanding(warehouse, new Data(dataDir));
    const after = await contents(warehouse);
    const changed = [...after.keys()].filter((table) => after.get(table) !== before.get(table));
    expect(changed.length).toBeGreaterThan(10);
    const now = await counted(warehouse);
    const found = [...now.keys()].filter((table) => now.get(table) !== countedBefore.get(table));
    // The load adds sightings to this table, and then moves those of the finished run to base.market_stays.
    expect(found.toSorted()).toEqual([...changed, 'ledger.pending_sightings'].toSorted());
  });

  test('counts a change outside of a transaction, and none of a transaction that was rolled back', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    const { db } = warehouse;
    const before = await counted(warehouse);
    await db.run(`INSERT INTO ledger.dirty_runs VALUES ('r')`);
    const failing = db.transaction(async () => {
      await db.run(`INSERT INTO ledger.dirty_tenders VALUES ('t')`);
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    const now = await counted(warehouse);
    expect(now.get('ledger.dirty_runs')).toHaveLength(36);
    expect(now.get('ledger.dirty_runs')).not.toBe(before.get('ledger.dirty_runs'));
    expect(now.get('ledger.dirty_tenders')).toBe(before.get('ledger.dirty_tenders'));
  });
});

/** Hash of the rows of each table that a load may change. */
async function contents({ db }: Warehouse): Promise<Map<string, string>> {
  const tables = await db.rows<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE schema_name IN ('ledger', 'base') AND table_name <> 'table_changes'`,
  );
  const hashes = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await db.rows<{ hash: string }>(
      `SELECT count(*) || ' ' || coalesce(sum(hash(CAST(t AS VARCHAR))), 0) AS hash FROM ${name} AS t`,
    );
    hashes.set(name, row?.hash ?? '');
  }
  return hashes;
}

/** Id of the last change of each table. */
async function counted({ db }: Warehouse): Promise<Map<string, string>> {
  const rows = await db.rows<{ table_name: string; change: string }>('FROM ledger.table_changes');
  return new Map(rows.map((row) => [row.table_name, row.change]));
}
