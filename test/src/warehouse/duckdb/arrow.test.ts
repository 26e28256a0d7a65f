import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { tableFromIPC, type Table } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeArrow } from '../../../../src/warehouse/duckdb/arrow.js';
import { streamRows } from '../../../../src/warehouse/duckdb/stream-rows.js';

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => instance.closeSync());

async function write(sql: string, kind: 'file' | 'stream' = 'stream'): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  await writeArrow(await streamRows(connection, sql), kind, async (bytes) => void pieces.push(bytes));
  return pieces;
}

const read = async (sql: string, kind: 'file' | 'stream' = 'stream'): Promise<Table> =>
  tableFromIPC(Buffer.concat(await write(sql, kind)));

/** The first value of a column as the file has it: numbers of times, and the words of long integers. */
function rawOf(table: Table): string {
  const data = table.getChildAt(0)!.data[0]!;
  const { values } = data as { values: ArrayLike<number | bigint> };
  if (data.children.length > 0 || !('BYTES_PER_ELEMENT' in values) || values instanceof Uint8Array)
    return JSON.stringify(table.get(0)?.toJSON()['x'], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  if (values instanceof Uint32Array && data.stride === 4) {
    const words = new BigUint64Array(values.buffer, values.byteOffset, 2);
    return String(BigInt.asIntN(128, words[0]! + words[1]! * 2n ** 64n));
  }
  return String(values[0]);
}

const MICROS = '1577836800000001';
/** Types of DuckDB, a value that is easily damaged, the type in Arrow, and what the file has. */
const TYPES: [type: string, value: string, inArrow: string, raw: string][] = [
  ['BOOLEAN', 'true', 'Bool', 'true'],
  ['TINYINT', '-128', 'Int8', '-128'],
  ['SMALLINT', '-32768', 'Int16', '-32768'],
  ['INTEGER', '-2147483648', 'Int32', '-2147483648'],
  ['BIGINT', '-9223372036854775808', 'Int64', '-9223372036854775808'],
  ['UTINYINT', '255', 'Uint8', '255'],
  ['USMALLINT', '65535', 'Uint16', '65535'],
  ['UINTEGER', '4294967295', 'Uint32', '4294967295'],
  ['UBIGINT', '18446744073709551615', 'Uint64', '18446744073709551615'],
  ['HUGEINT', '9007199254740995', 'Decimal[38e0]', '9007199254740995'],
  ['HUGEINT', '-99999999999999999999999999999999999999', 'Decimal[38e0]', '-99999999999999999999999999999999999999'],
  ['UHUGEINT', '99999999999999999999999999999999999999', 'Decimal[38e0]', '99999999999999999999999999999999999999'],
  [
    'BIGNUM',
    "'123456789012345678901234567890123456789012345'",
    'Utf8',
    '"123456789012345678901234567890123456789012345"',
  ],
  ['FLOAT', '1.5', 'Float32', '1.5'],
  ['DOUBLE', "'nan'", 'Float64', 'NaN'],
  ['DOUBLE', "'-inf'", 'Float64', '-Infinity'],
  ['DECIMAL(9,2)', '-1.25', 'Decimal[9e+2]', '-125'],
  [
    'DECIMAL(38,10)',
    '1234567890123456789012345678.0123456789',
    'Decimal[38e+10]',
    '12345678901234567890123456780123456789',
  ],
  ['VARCHAR', "'ä\u00a0😀'", 'Utf8', '"ä\u00a0😀"'],
  ['BLOB', String.raw`'\x00\xAA'`, 'Binary', '{"0":0,"1":170}'],
  ['BIT', "'0101'", 'Utf8', '"0101"'],
  ['DATE', "'infinity'", 'Date32<DAY>', '2147483647'],
  ['DATE', "'1969-12-31'", 'Date32<DAY>', '-1'],
  ['TIME', "'24:00:00'", 'Time64<MICROSECOND>', '86400000000'],
  ['TIMETZ', "'12:00:00+05:30'", 'Utf8', '"12:00:00+05:30"'],
  ['TIMESTAMP', "'-infinity'", 'Timestamp<MICROSECOND>', '-9223372036854775807'],
  ['TIMESTAMP', "'2020-01-01 00:00:00.000001'", 'Timestamp<MICROSECOND>', MICROS],
  ['TIMESTAMP_S', "'2020-01-01 00:00:01'", 'Timestamp<SECOND>', '1577836801'],
  ['TIMESTAMP_MS', "'2020-01-01 00:00:00.001'", 'Timestamp<MILLISECOND>', '1577836800001'],
  ['TIMESTAMP_NS', "'2020-01-01 00:00:00.000000001'", 'Timestamp<NANOSECOND>', '1577836800000000001'],
  ['TIMESTAMPTZ', "'2020-01-01 00:00:00.000001+00'", 'Timestamp<MICROSECOND, UTC>', MICROS],
  ['INTERVAL', "'1 month 2 days 3 microseconds'", 'Utf8', '"1 month 2 days 00:00:00.000003"'],
  [
    'UUID',
    "'aabbccdd-0000-0000-0000-000000000001'",
    'FixedSizeBinary[16]',
    '{"0":170,"1":187,"2":204,"3":221,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"14":0,"15":1}',
  ],
  ["ENUM('a', 'b')", "'b'", 'Utf8', '"b"'],
  ['JSON', `'{"a": 9007199254740995}'`, 'Utf8', String.raw`"{\"a\": 9007199254740995}"`],
  ['INTEGER[]', '[1, NULL, 2]', 'List<Int32>', '[1,null,2]'],
  ['INTEGER[2]', '[1, 2]', 'List<Int32>', '[1,2]'],
  ['VARCHAR[][]', "[['a'], NULL, []]", 'List<List<Utf8>>', '[["a"],null,[]]'],
  [
    'STRUCT(a BIGINT, b VARCHAR[])',
    "{'a': NULL, 'b': ['x']}",
    'Struct<{a:Int64, b:List<Utf8>}>',
    '{"a":null,"b":["x"]}',
  ],
  ['MAP(VARCHAR, BIGINT)', "MAP {'a': 9007199254740995}", 'Map<{key:Utf8, value:Int64}>', '{"a":"9007199254740995"}'],
];

describe('Arrow', () => {
  it.each(TYPES)('keeps %s %s', async (type, value, inArrow, raw) => {
    const table = await read(`SELECT CAST(${value} AS ${type}) AS x UNION ALL SELECT NULL`);
    expect([String(table.schema.fields[0]?.type), rawOf(table), table.getChildAt(0)?.get(1)]).toEqual([
      inArrow,
      raw,
      null,
    ]);
  });

  it('keeps nulls at any place, in rows of many batches', async () => {
    const sql = `SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE i END AS n, CASE WHEN i % 7 <> 0 THEN 'ä' || i END AS t,
      CASE WHEN i % 2 = 0 THEN [i, NULL] END AS l, CASE WHEN i % 5 <> 0 THEN {a: i % 2 = 0} END AS s
      FROM range(5000) r(i) ORDER BY i`;
    for (const kind of ['file', 'stream'] as const) {
      const table = await read(sql, kind);
      expect([table.numRows, table.batches.length]).toEqual([5_000, 3]);
      const rows = table.toArray().map((row, i) => {
        const { n, t, l, s } = row as Record<string, unknown>;
        const right = [
          n === (i % 3 === 0 ? null : BigInt(i)),
          t === (i % 7 === 0 ? null : `ä${i}`),
          i % 2 === 0
            ? JSON.stringify(l, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)) === `[${i},null]`
            : l === null,
          i % 5 === 0 ? s === null : (s as { a: boolean }).a === (i % 2 === 0),
        ];
        return right.every(Boolean);
      });
      expect(rows.indexOf(false)).toBe(-1);
    }
  });

  it('writes each batch before the next one is read', async () => {
    const pieces = await write('FROM range(100000)');
    expect(pieces.length).toBe(Math.ceil(100_000 / 2_048) + 1);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000);
  });

  it('ends a stream within a batch if the query fails, so that no reader takes the end for that of the rows', async () => {
    const rows = await streamRows(connection, 'FROM range(5000)');
    const chunks = (async function* () {
      for await (const chunk of rows.chunks) yield chunk;
      throw new Error('broken');
    })();
    const pieces: Uint8Array[] = [];
    const written = writeArrow({ ...rows, chunks }, 'stream', async (bytes) => void pieces.push(bytes));
    await expect(written).rejects.toThrow('broken');
    expect(pieces.length).toBeGreaterThan(2);
    expect([...(pieces.at(-1) ?? [])]).toEqual([255, 255, 255, 255, 1, 0, 0, 0]);
  });

  it('writes the columns of a query without rows', async () => {
    for (const kind of ['file', 'stream'] as const) {
      const table = await read('SELECT 1 AS a, [1] AS b WHERE false', kind);
      expect([table.numRows, table.schema.fields.map(({ name }) => name)]).toEqual([0, ['a', 'b']]);
    }
  });

  it('keeps the names of equal columns apart', async () => {
    const { schema } = await read('SELECT 1 AS a, 2 AS a');
    expect(schema.fields.map(({ name }) => name)).toEqual(['a', 'a_1']);
  });

  it('refuses an integer of more than 38 digits', async () => {
    await expect(write('SELECT 170141183460469231731687303715884105727::HUGEINT AS x')).rejects.toThrow(
      'DECIMAL(38,0)',
    );
  });
});
