import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commentOn } from '../../../../src/warehouse/duckdb/comments.js';
import { Database } from '../../../../src/warehouse/duckdb/database.js';
import { ModelFailedError } from '../../../../src/warehouse/duckdb/errors.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { insertRows } from '../../../../src/warehouse/duckdb/insert-rows.js';

let instance: DuckDBInstance;
let db: Database;
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:');
  db = new Database(await instance.connect(), 'x.duckdb');
  await db.run('CREATE TABLE t (id INTEGER PRIMARY KEY, "a ""b" VARCHAR, n BIGINT)');
});
afterEach(() => {
  db.closeSync();
  instance.closeSync();
});

const ids = async () => (await db.rows<{ id: number }>('SELECT id FROM t ORDER BY id')).map(({ id }) => id);

describe('Database', () => {
  test('binds parameters and returns BIGINT and DATE as text', async () => {
    await db.run('INSERT INTO t (id, n) VALUES ($id, $n)', { id: 7, n: 9n });
    expect(await db.rows('SELECT id, n, DATE $day AS day FROM t'.replace('$day', "'2026-11-20'"))).toEqual([
      { id: 7, n: '9', day: '2026-11-20' },
    ]);
    expect(await db.rows('SELECT n FROM t WHERE id = $id', { id: 8 })).toEqual([]);
  });

  test('counts by the first column, or 0 without a row or value', async () => {
    expect(await db.count('SELECT $n + 1 AS b, 9 AS a', { n: 4 })).toBe(5);
    expect(await db.count('SELECT n FROM t')).toBe(0);
    expect(await db.count('SELECT NULL')).toBe(0);
  });

  test('commits a transaction completely or not at all', async () => {
    expect(await db.transaction(async () => db.run('INSERT INTO t (id) VALUES (1)').then(() => 'done'))).toBe('done');
    const failing = db.transaction(async () => {
      await db.run('INSERT INTO t (id) VALUES (2)');
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
    expect(await ids()).toEqual([1]);
    // The connection is usable: no transaction is open.
    await db.transaction(async () => db.run('INSERT INTO t (id) VALUES (3)'));
    expect(await ids()).toEqual([1, 3]);
  });

  test('names the file and number of a statement that fails', async () => {
    const text =
      'INSERT INTO t (id) VALUES (1); INSERT INTO t (id) VALUES (2); INSERT INTO nowhere VALUES (3); SELECT 1;';
    const error: unknown = await db.runFile({ name: 'staging/x.sql', text }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelFailedError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^sql\/staging\/x\.sql, statement 3: .*nowhere does not exist/s) as string,
      todo: 'Correct that file. The warehouse was not changed.',
      cause: expect.any(Error) as Error,
    });
    expect(await ids()).toEqual([1, 2]);
  });

  test.each([
    ['run', () => db.run("SELECT error('No space left on device')")],
    ['rows', () => db.rows("SELECT error('No space left on device')")],
    ['runFile', () => db.runFile({ name: 'x.sql', text: "SELECT error('No space left on device')" })],
    ['withMemory', () => withMemory('x.duckdb', () => Promise.reject(new Error('No space left on device')))],
  ])('reports a full disk and the file in %s', async (_, work) => {
    await expect(work()).rejects.toMatchObject({
      type: 'DiskFull',
      message: expect.stringContaining('No space left to write x.duckdb') as string,
    });
  });
});

describe('insertRows', () => {
  const SHAPE = { id: 'INTEGER', 'a "b': 'VARCHAR', n: 'BIGINT' };

  test('inserts rows by column, with NULL for missing values', async () => {
    await insertRows(db, 't', SHAPE, []);
    await insertRows(db, 't', SHAPE, [
      { n: 5, id: 1, other: true },
      { id: 2, 'a "b': "it's" },
    ]);
    expect(await db.rows('FROM t ORDER BY id')).toEqual([
      { id: 1, 'a "b': null, n: '5' },
      { id: 2, 'a "b': "it's", n: null },
    ]);
  });

  test('appends the given clause to the INSERT', async () => {
    await insertRows(db, 't', SHAPE, [{ id: 1, n: 5 }]);
    await expect(insertRows(db, 't', SHAPE, [{ id: 1, n: 6 }])).rejects.toThrow('Duplicate key');
    await insertRows(db, 't', SHAPE, [{ id: 1, n: 6 }], 'ON CONFLICT DO UPDATE SET n = excluded.n');
    expect(await db.count('SELECT n FROM t')).toBe(6);
  });
});

test('commentOn escapes quotes in names and comments', async () => {
  await commentOn(db, 't', "it's a table", [
    ['id', 'the key'],
    ['a "b', "it's odd"],
  ]);
  expect(await db.rows(`SELECT comment FROM duckdb_tables() WHERE table_name = 't'`)).toEqual([
    { comment: "it's a table" },
  ]);
  expect(await db.rows(`SELECT comment FROM duckdb_columns() WHERE table_name = 't' ORDER BY column_index`)).toEqual([
    { comment: 'the key' },
    { comment: "it's odd" },
    { comment: null },
  ]);
});

test('withMemory returns the result and always closes the database', async () => {
  const kept: Database[] = [];
  expect(
    await withMemory('x.duckdb', (memory) => {
      kept.push(memory);
      expect(memory.file).toBe('x.duckdb');
      return memory.count('SELECT 7');
    }),
  ).toBe(7);
  const failing = withMemory('x.duckdb', (memory) => {
    kept.push(memory);
    return Promise.reject(new TypeError('the work failed'));
  });
  await expect(failing).rejects.toThrow(TypeError);
  for (const memory of kept) await expect(memory.run('SELECT 1')).rejects.toThrow(/disconnect|clos/i);
});
