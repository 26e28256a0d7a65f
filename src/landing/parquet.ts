import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Arrow from 'apache-arrow';
import type * as ParquetWasm from 'parquet-wasm';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import type { PartTarget } from './paths.js';

const require = createRequire(import.meta.url);
// Load these libraries at the first use, so that workers start faster.
const loadArrow = () => require('apache-arrow') as typeof Arrow;
const loadParquet = () => require('parquet-wasm') as typeof ParquetWasm;

// Rows per row group. If a part has several row groups, DuckDB can read it with several threads.
const ROW_GROUP_ROWS = 500;

/** Version of the columns of a part. Code that reads old parts depends on it. */
const SCHEMA_VERSION = '1';

/** Returns the key-value metadata that a part has in its Parquet footer. */
export function footerOf(target: PartTarget): Record<string, string> {
  const { stream, run, date, market, chunk } = target;
  return { schema_version: SCHEMA_VERSION, stream, run, date, chunk, ...(market === null ? {} : { market }) };
}

/**
 * Encodes landed rows as one Parquet file with zstd compression. The columns are listed in schemas/pipeline/landing.ts.
 * The footer names the stream, run, date and chunk, and also the market if the run has one. The value of its key
 * `content` is the SHA-256 of the hashes of all rows, one per line.
 */
export function encodePart(target: PartTarget, rows: LandedRow[]): Uint8Array {
  const { Int32, makeData, makeVector, Table, tableToIPC, TimestampMicrosecond, Utf8, vectorFromArray } = loadArrow();
  const { Compression, Table: WasmTable, WriterPropertiesBuilder, writeParquet } = loadParquet();
  const text = (values: (string | null)[]) => vectorFromArray(values, new Utf8());
  const constant = (value: string | null) => text(rows.map(() => value));
  const micros = BigInt64Array.from(rows, (row) => BigInt(Date.parse(row.fetched_at)) * 1000n);
  const table = new Table({
    stream: constant(target.stream),
    run: constant(target.run),
    date: constant(target.date),
    market: constant(target.market),
    request_key: text(rows.map((row) => row.request_key)),
    entity_id: text(rows.map((row) => row.entity_id)),
    row_kind: text(rows.map((row) => row.row_kind)),
    status: vectorFromArray(
      rows.map((row) => row.status),
      new Int32(),
    ),
    fetched_at: makeVector(
      makeData({ type: new TimestampMicrosecond(), length: rows.length, nullCount: 0, data: micros }),
    ),
    body: text(rows.map((row) => row.body)),
    sha256: text(rows.map((row) => row.sha256)),
  });
  const properties = new WriterPropertiesBuilder()
    .setCompression(Compression.ZSTD)
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .setKeyValueMetadata(new Map(Object.entries({ ...footerOf(target), content: contentHash(rows) })))
    .build();
  return writeParquet(WasmTable.fromIPCStream(tableToIPC(table, 'stream')), properties);
}

function contentHash(rows: LandedRow[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of rows) hash.update(`${sha256}\n`);
  return hash.digest('hex');
}

/** Decodes the rows of a part from the bytes of its file. */
export function decodePart(bytes: Uint8Array): LandedRow[] {
  const table = loadArrow().tableFromIPC(loadParquet().readParquet(bytes).intoIPCStream());
  return table.toArray().map((row) => {
    const record = row as Record<keyof LandedRow, unknown>;
    return {
      request_key: record.request_key as string,
      entity_id: record.entity_id as string | null,
      row_kind: record.row_kind as string,
      status: Number(record.status),
      fetched_at: new Date(Number(record.fetched_at)).toISOString(),
      body: record.body as string,
      sha256: record.sha256 as string,
    };
  });
}
