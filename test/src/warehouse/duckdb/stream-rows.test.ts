import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamRows } from '../../../../src/warehouse/duckdb/stream-rows.js';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '4' });
  connection = await instance.connect();
  await connection.run('CREATE TABLE t AS SELECT i, hash(i) AS h, i % 7 AS k FROM range(100000) r(i)');
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function all(sql: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const chunk of (await streamRows(connection, sql)).chunks) rows.push(...chunk);
  return rows;
}

describe('streamRows', () => {
  it.each([
    ['in the first chunk', 1],
    ['in a later chunk', 5_000],
    ['after many chunks', 300_000],
  ])('reports an error %s', async (_, at) => {
    const sql = `SELECT CASE WHEN i = ${at} THEN error('broken row') ELSE i::VARCHAR END AS v FROM range(2000000) r(i)`;
    await expect(all(sql)).rejects.toThrow('broken row');
  });

  it('reports an interrupt as an early end', async () => {
    let interrupted = false;
    const { chunks } = await streamRows(connection, 'FROM range(100000000)');
    const read = async (): Promise<void> => {
      for await (const rows of chunks) {
        if (rows.length === 0 || interrupted) continue;
        interrupted = true;
        connection.interrupt();
      }
    };
    await expect(read()).rejects.toThrow(/ended before its last row|interrupt/i);
    expect(await all('SELECT 1')).toEqual([[1]]);
  });

  it.each([
    'SELECT 1 AS a, 2 AS b',
    'SELECT 1 AS a, NULL AS b -- with a comment',
    'SELECT 1;',
    "VALUES (1, 'x'), (2, NULL)",
    'FROM t ORDER BY h LIMIT 5 OFFSET 3',
    '(SELECT 1) UNION (SELECT 1)',
    'WITH x AS (SELECT 1) FROM x',
    'PIVOT (SELECT 1 AS a, 2 AS b) ON a USING sum(b)',
    'DESCRIBE t',
    'SUMMARIZE SELECT 1 AS a',
    'SHOW ALL TABLES',
    'PRAGMA show_tables',
    'PRAGMA version',
    'EXPLAIN SELECT 1',
    'SELECT 1 WHERE false',
  ])('returns the rows of %s', async (sql) => {
    const { columns, types, chunks } = await streamRows(connection, sql);
    const rows: unknown[][] = [];
    for await (const chunk of chunks) rows.push(...chunk);
    const expected = await connection.runAndReadAll(sql);
    expect(rows).toEqual(expected.getRows());
    expect(columns).toEqual(expected.deduplicatedColumnNames());
    expect(types.map(String)).toEqual(expected.columnTypes().map(String));
  });

  it('shows a syntax error in the query as it was written', async () => {
    await expect(all('SELECT 1 FORM t')).rejects.toThrow(/LINE 1: SELECT 1 FORM t/);
    await expect(all('SELECT nothing FROM t')).rejects.toThrow(/LINE 1: SELECT nothing FROM t/);
    await expect(all('SELECT 1) FROM (SELECT 2')).rejects.toThrow('syntax error');
  });

  it('keeps the order of the rows', async () => {
    const column = fc.constantFrom('i', 'h', 'k, i');
    const query = fc
      .record({ column, down: fc.boolean(), filter: fc.constantFrom('true', 'k = 3', 'h % 2 = 0', 'i > 50000') })
      .map(
        ({ column: by, down, filter }) =>
          `SELECT i FROM t WHERE ${filter} ORDER BY ${down ? by.replaceAll(/\w+/g, '$& DESC') : by}`,
      );
    await fc.assert(
      fc.asyncProperty(query, async (sql) => {
        const expected = (await connection.runAndReadAll(sql)).getRows().flat();
        expect((await all(sql)).flat()).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });
});
