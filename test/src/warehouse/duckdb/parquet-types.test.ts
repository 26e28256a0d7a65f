import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { forParquet, type TypedColumn } from '../../../../src/warehouse/duckdb/parquet-types.js';

/** Each type of DuckDB, a value that is easily damaged, and the type in a Parquet file if it differs. */
const TYPES: [type: string, value: string, inFile?: string][] = [
  ['BOOLEAN', 'true'],
  ['TINYINT', '-128'],
  ['SMALLINT', '-32768'],
  ['INTEGER', '-2147483648'],
  ['BIGINT', '-9223372036854775808'],
  ['UTINYINT', '255'],
  ['USMALLINT', '65535'],
  ['UINTEGER', '4294967295'],
  ['UBIGINT', '18446744073709551615'],
  ['HUGEINT', '9007199254740995', 'DECIMAL(38,0)'],
  ['HUGEINT', '-99999999999999999999999999999999999999', 'DECIMAL(38,0)'],
  ['UHUGEINT', '99999999999999999999999999999999999999', 'DECIMAL(38,0)'],
  ['HUGEINT[]', '[9007199254740995]', 'DECIMAL(38,0)[]'],
  ['STRUCT(a HUGEINT)', "{'a': 9007199254740995}", 'STRUCT(a DECIMAL(38,0))'],
  ['MAP(VARCHAR, HUGEINT)', "MAP {'a': 9007199254740995}", 'MAP(VARCHAR, DECIMAL(38,0))'],
  ['BIGNUM', "'123456789012345678901234567890123456789012345'", 'VARCHAR'],
  ['FLOAT', '1.1'],
  ['DOUBLE', "'nan'"],
  ['DOUBLE', "'-inf'"],
  ['DECIMAL(38,10)', '1234567890123456789012345678.0123456789'],
  ['VARCHAR', "'ä\u00a0'"],
  ['BLOB', String.raw`'\x00\xAA'`],
  ['BIT', "'0101'", 'VARCHAR'],
  ['DATE', "'infinity'"],
  ['TIME', "'24:00:00'"],
  ['TIMETZ', "'12:00:00+05:30'", 'VARCHAR'],
  ['TIMESTAMP', "'-infinity'"],
  ['TIMESTAMP_S', "'2020-01-01 00:00:01'", 'TIMESTAMP'],
  ['TIMESTAMP_MS', "'2020-01-01 00:00:00.001'", 'TIMESTAMP'],
  ['TIMESTAMP_NS', "'2020-01-01 00:00:00.000000001'"],
  ['TIMESTAMPTZ', "'2020-01-01 00:00:00.000001+05'", 'TIMESTAMP WITH TIME ZONE'],
  ['INTERVAL', "'1 month 2 days 3 microseconds'", 'VARCHAR'],
  ['INTERVAL', "'-1 month'", 'VARCHAR'],
  ['UUID', "'aabbccdd-0000-0000-0000-000000000001'"],
  ["ENUM('a', 'b')", "'b'", 'VARCHAR'],
  ['INTEGER[2]', '[1, 2]', 'INTEGER[]'],
  ['JSON', `'{"a": 9007199254740995}'`],
];

const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function writeParquet(db: Database, query: string, name: string): Promise<string> {
  const file = path.join(folder, `${name}.parquet`);
  const exact = await forParquet(query, (sql) => db.rows<TypedColumn>(sql));
  await db.run(`COPY (${exact}) TO '${file}' (FORMAT parquet, COMPRESSION snappy)`);
  return file;
}

describe('Parquet files', () => {
  it('keep the value of each type', async () => {
    await withMemory(':memory:', async (db) => {
      await db.run(`SET TimeZone = 'UTC'`);
      for (const [i, [type, value, inFile = type]] of TYPES.entries()) {
        const file = await writeParquet(db, `SELECT CAST(${value} AS ${type}) AS "a ""x"`, `t${i}`);
        const [read] = await db.rows(`SELECT typeof("a ""x") AS type, CAST("a ""x" AS VARCHAR) AS text FROM '${file}'`);
        const [written] = await db.rows(`SELECT CAST(CAST(${value} AS ${type}) AS VARCHAR) AS text`);
        expect({ type, ...read }).toEqual({ type: inFile, text: written!['text'] });
      }
    });
  });

  it('keep the digits and the order of sums', async () => {
    await withMemory(':memory:', async (db) => {
      const query =
        'SELECT sum(x) AS total, -x AS y FROM (VALUES (9007199254740993::BIGINT), (2::BIGINT)) t(x) GROUP BY x ORDER BY y DESC;';
      const file = await writeParquet(db, query, 'sums');
      expect(await db.rows(`FROM '${file}'`)).toEqual([
        { total: '2', y: '-2' },
        { total: '9007199254740993', y: '-9007199254740993' },
      ]);
    });
  });

  it('refuse an integer of more than 38 digits', async () => {
    await withMemory(':memory:', async (db) => {
      const query = 'SELECT 170141183460469231731687303715884105727::HUGEINT AS x';
      await expect(writeParquet(db, query, 'long')).rejects.toThrow('DECIMAL(38,0)');
    });
  });
});
