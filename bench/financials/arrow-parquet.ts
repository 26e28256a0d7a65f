import { makeData, makeVector, Dictionary, Float64, Int32, Int64, Table, tableToIPC, Utf8 } from 'apache-arrow';
import { Compression, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import type { LongRow } from './by-hand.js';

/**
 * Encodes values as one Parquet file (zstd) with typed arrays of Arrow. `capacity` is a multiple of 8 and at least the
 * number of rows.
 */
export function encodeLong(rows: Iterable<LongRow>, capacity: number): Uint8Array {
  const companies = new BigInt64Array(capacity);
  const years = new Int32Array(capacity);
  const names = new Map<string, number>();
  const indicators = new Int32Array(capacity);
  const numbers = new Float64Array(capacity);
  const hasNumber = new Uint8Array(capacity >> 3);
  const texts: (string | null)[] = [];
  let n = 0;
  for (const { company, year, indicator, number, text } of rows) {
    companies[n] = company;
    years[n] = year;
    const known = names.get(indicator);
    indicators[n] = known ?? names.size;
    if (known === undefined) names.set(indicator, names.size);
    if (number !== null) {
      numbers[n] = number;
      hasNumber[n >> 3]! |= 1 << (n & 7);
    }
    texts.push(text);
    n++;
  }
  const dictionary = makeVector(utf8([...names.keys()]));
  const table = new Table({
    company_id: makeVector(makeData({ type: new Int64(), length: n, nullCount: 0, data: companies.subarray(0, n) })),
    fiscal_year: makeVector(makeData({ type: new Int32(), length: n, nullCount: 0, data: years.subarray(0, n) })),
    indicator: makeVector(
      makeData({
        type: new Dictionary(new Utf8(), new Int32()),
        length: n,
        nullCount: 0,
        data: indicators.subarray(0, n),
        dictionary,
      }),
    ),
    value_double: makeVector(
      makeData({ type: new Float64(), length: n, nullCount: -1, nullBitmap: hasNumber, data: numbers.subarray(0, n) }),
    ),
    value_text: makeVector(utf8(texts)),
  });
  const properties = new WriterPropertiesBuilder().setCompression(Compression.ZSTD).build();
  return writeParquet(WasmTable.fromIPCStream(tableToIPC(table, 'stream')), properties);
}

function utf8(values: (string | null)[]) {
  const valueOffsets = new Int32Array(values.length + 1);
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  const pieces: string[] = [];
  let end = 0;
  values.forEach((value, i) => {
    if (value !== null) {
      nullBitmap[i >> 3]! |= 1 << (i & 7);
      pieces.push(value);
      end += Buffer.byteLength(value);
    }
    valueOffsets[i + 1] = end;
  });
  const data = Buffer.from(pieces.join(''));
  return makeData({ type: new Utf8(), length: values.length, nullCount: -1, nullBitmap, valueOffsets, data });
}
