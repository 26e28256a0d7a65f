import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeArrow } from '../../src/warehouse/duckdb/arrow.js';
import { streamRows } from '../../src/warehouse/duckdb/stream-rows.js';
import { ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';

/* Reads Arrow with pyarrow, DuckDB and Polars, which are installed from PyPI. */

const PACKAGES = ['duckdb==1.5.5', 'polars==1.44.2', 'pyarrow==26.0.1', 'pytz==2026.6'];
const run = promisify(execFile);

/** A value of each type of DuckDB that is easily damaged, and the type that pyarrow reads. */
const TYPES: [type: string, value: string, read: string][] = [
  ['BOOLEAN', 'true', 'bool'],
  ['TINYINT', '-128', 'int8'],
  ['SMALLINT', '-32768', 'int16'],
  ['INTEGER', '-2147483648', 'int32'],
  ['BIGINT', '-9223372036854775808', 'int64'],
  ['UTINYINT', '255', 'uint8'],
  ['USMALLINT', '65535', 'uint16'],
  ['UINTEGER', '4294967295', 'uint32'],
  ['UBIGINT', '18446744073709551615', 'uint64'],
  ['HUGEINT', '-99999999999999999999999999999999999999', 'decimal128(38, 0)'],
  ['UHUGEINT', '99999999999999999999999999999999999999', 'decimal128(38, 0)'],
  ['BIGNUM', "'123456789012345678901234567890123456789012345'", 'string'],
  ['FLOAT', '1.1', 'float'],
  ['DOUBLE', "'-inf'", 'double'],
  ['DECIMAL(4,1)', '-999.9', 'decimal128(4, 1)'],
  ['DECIMAL(38,10)', '-1234567890123456789012345678.0123456789', 'decimal128(38, 10)'],
  ['VARCHAR', "'ä\u00a0😀'", 'string'],
  ['BLOB', String.raw`'\x00\xAA'`, 'binary'],
  ['BIT', "'0101'", 'string'],
  ['DATE', "'infinity'", 'date32[day]'],
  ['TIME', "'23:59:59.999999'", 'time64[us]'],
  ['TIMETZ', "'12:00:00+05:30'", 'string'],
  ['TIMESTAMP', "'-infinity'", 'timestamp[us]'],
  ['TIMESTAMP_S', "'1969-12-31 23:59:59'", 'timestamp[s]'],
  ['TIMESTAMP_MS', "'2020-01-01 00:00:00.001'", 'timestamp[ms]'],
  ['TIMESTAMP_NS', "'2020-01-01 00:00:00.000000001'", 'timestamp[ns]'],
  ['TIMESTAMPTZ', "'2020-01-01 00:00:00.000001+05'", 'timestamp[us, tz=UTC]'],
  ['INTERVAL', "'-1 month'", 'string'],
  ['INTERVAL', "'1 year 2 days -3 microseconds'", 'string'],
  ["ENUM('a', 'b')", "'b'", 'string'],
  ['JSON', `'{"a": 9007199254740995}'`, 'string'],
  ['INTEGER[2]', '[1, 2]', 'list<item: int32>'],
  ['HUGEINT[]', '[9007199254740995, NULL]', 'list<item: decimal128(38, 0)>'],
  ['VARCHAR[][]', "[['a', NULL], NULL, []]", 'list<item: list<item: string>>'],
  ['STRUCT(a BIGINT, b VARCHAR[])', "{'a': NULL, 'b': ['x']}", 'struct<a: int64, b: list<item: string>>'],
  ['MAP(VARCHAR, STRUCT(n HUGEINT))', "MAP {'a': {'n': 1}, 'b': NULL}", 'map<string, struct<n: decimal128(38, 0)>>'],
];

let root: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'tidemark-arrow-'));
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
});
afterAll(() => {
  instance.closeSync();
  rmSync(root, { recursive: true, force: true });
});

async function write(name: string, sql: string, kind: 'file' | 'stream'): Promise<string> {
  const file = path.join(root, name);
  await writeArrow(await streamRows(connection, sql), kind, async (bytes) => appendFileSync(file, bytes));
  return file;
}

it('pyarrow, DuckDB and Polars read each value of Arrow files and streams', async () => {
  const values = TYPES.map(([type, value], i) => `CAST(${value} AS ${type}) AS c${i}`).join(', ');
  const nulls = TYPES.map((_, i) => `NULL AS c${i}`).join(', ');
  const sql = `SELECT ${values} UNION ALL SELECT ${nulls} UNION ALL SELECT ${values}`;
  const ordinary = `SELECT CASE WHEN i % 3 > 0 THEN i END AS n, 'ä' || i % 10 AS t, CASE WHEN i % 2 > 0 THEN [i, NULL] END AS l,
    {a: i % 2, b: ['x']} AS s, MAP {i: 'm'} AS m, DATE '2026-11-20' + (i % 9)::INTEGER AS d, i::DECIMAL(18, 3) AS c,
    TIMESTAMPTZ '2026-11-20 02:00:00+00' AS z, uuid() AS u, i % 2 = 0 AS b FROM range(10000) r(i)`;
  const files = [
    await write('types.arrow', sql, 'file'),
    await write('types.arrows', sql, 'stream'),
    await write('ordinary.arrows', ordinary, 'stream'),
  ];
  const python = await installPython('arrow', PACKAGES);
  const { stdout } = await run(python, [path.join(ROOT, 'test', 'engines', 'arrow.py'), ...files]);
  const shown = await connection.runAndReadAll(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`);
  const texts = shown.getColumnsObject();
  expect(JSON.parse(stdout)).toEqual({
    file: texts,
    stream: texts,
    types: Object.fromEntries(TYPES.map(([, , read], i) => [`c${i}`, read])),
    polars: { rows: 10_000, same: true, sums: [33_326_667, 20_000, 25_000_000, 5_000] },
  });
}, 1_200_000);
