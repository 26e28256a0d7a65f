import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { describeDrift } from '../../../../src/warehouse/models/describe-drift.js';
import { describeUnloaded } from '../../../../src/warehouse/models/describe-unloaded.js';

/** Runs the work on a database that has one table. */
const withTable = <T>(table: string, rows: string, work: (db: Database) => Promise<T>): Promise<T> =>
  withMemory('test', async (db) => {
    await db.run('CREATE SCHEMA ops');
    await db.run(`CREATE TABLE ops.${table} AS ${rows}`);
    return work(db);
  });

describe('describeDrift', () => {
  const drift = (values: string[]): Promise<string[]> =>
    withTable(
      'drift',
      `SELECT 'GET /r' AS route, path, kind, 'string' AS type, expected, CAST(share AS DOUBLE) AS share, first_run, 'r2' AS last_run
       FROM (VALUES ${values.join(', ')}) AS t(path, kind, expected, share, first_run)`,
      (db) => describeDrift(db, 'r2'),
    );

  test('describes drift, new first, then by share', async () => {
    const lines = await drift([
      "('$.old', 'new field', NULL, 1, 'r1')",
      "('$.gone', 'missing', 'number', 0.5, 'r2')",
      "('$.type', 'changed type', 'number', 0.75, 'r2')",
      "('$.unknown', 'changed type', NULL, 0.25, 'r2')",
    ]);
    expect(lines).toEqual([
      '$.type is string instead of number in 75 % of the answers of GET /r.',
      '$.gone is missing in 50 % of the answers of GET /r.',
      '$.unknown is string instead of its earlier type in 25 % of the answers of GET /r.',
      'New field $.old (string) in 100 % of the answers of GET /r, as before.',
    ]);
  });

  test('writes shares with at most two decimals', async () => {
    const lines = await drift(
      [0.014, 0.01, 0.0099, 0.00042].map((share, i) => `('$.${i}', 'new field', NULL, ${share}, 'r2')`),
    );
    expect(lines.map((line) => / in (.*?) of /.exec(line)?.[1])).toEqual(['1.4 %', '1 %', '0.99 %', '0.04 %']);
    expect(await drift(["('$.a', 'new field', NULL, 0.0044, 'r2')"])).toEqual([
      'New field $.a (string) in 0.44 % of the answers of GET /r.',
    ]);
  });

  test('lists five differences, or four and the number of others', async () => {
    const some = (n: number) => Array.from({ length: n }, (_, i) => `('$.f${i}', 'missing', NULL, 1, 'r2')`);
    expect(await drift(some(5))).toHaveLength(5);
    expect((await drift(some(5))).at(-1)).toBe('$.f4 is missing in 100 % of the answers of GET /r.');
    const lines = await drift(some(6));
    expect(lines).toHaveLength(5);
    expect(lines.slice(-2)).toEqual([
      '$.f3 is missing in 100 % of the answers of GET /r.',
      'and 2 more: see ops.drift.',
    ]);
  });
});

describe('describeUnloaded', () => {
  const row = (loaded: string): string =>
    `SELECT 'r1' AS run, 7 AS distinct_companies, 3 AS missing, CAST(0.7 AS DOUBLE) AS share, 7 AS counted_companies, ${loaded},
      '[{"reason": "first"}, {"reason": "the last"}]' AS why`;

  test('returns coverage and last reason of a run with unloaded companies', async () => {
    const rows = row('5 AS loaded_companies');
    const unloaded = await withTable('coverage', rows, (db) => describeUnloaded(db, 'r1'));
    expect(unloaded).toEqual({
      coverage: { distinctCompanies: 7, missing: 3, share: 0.7 },
      reason: 'the last',
      counted: 7,
      loaded: 5,
    });
    expect(await withTable('coverage', rows, (db) => describeUnloaded(db, 'r2'))).toBeNull();
  });

  test('returns null if all companies are loaded or not counted', async () => {
    expect(await withTable('coverage', row('7 AS loaded_companies'), (db) => describeUnloaded(db, 'r1'))).toBeNull();
    expect(await withTable('coverage', row('1 AS other'), (db) => describeUnloaded(db, 'r1'))).toBeNull();
  });
});
