import { createRequire } from 'node:module';
import { brotliCompressSync, constants } from 'node:zlib';
import type * as Arrow from 'apache-arrow';
import type { parquetWriteBuffer } from 'hyparquet-writer';
import type * as ParquetWasm from 'parquet-wasm';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { sha256 } from '../base/hash.js';
import type { Frame } from './frames.js';
import type { PartTarget } from './paths.js';

const require = createRequire(import.meta.url);
// Load these libraries at the first use, so that workers start faster.
const loadArrow = () => require('apache-arrow') as typeof Arrow;
const loadParquet = () => require('parquet-wasm') as typeof ParquetWasm;

// Rows per row group. If a part has several row groups, DuckDB can read it with several threads.
const ROW_GROUP_ROWS = 500;

/** Version of the columns of a part. Code that reads old parts depends on it. */
const SCHEMA_VERSION = '1';

type SchemaElement = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>[number];

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
const COLUMNS: Readonly<Record<string, Omit<SchemaElement, 'name'>>> = {
  stream: TEXT,
  run: TEXT,
  date: TEXT,
  market: TEXT,
  request_key: TEXT,
  entity_id: TEXT,
  row_kind: TEXT,
  status: { type: 'INT32' },
  fetched_at: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  body: TEXT,
  sha256: TEXT,
};
const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: Object.keys(COLUMNS).length },
  ...Object.entries(COLUMNS).map(([name, type]) => ({ name, repetition_type: 'OPTIONAL' as const, ...type })),
];
// Columns without repeated values. A search for repetitions would cost time.
const DISTINCT: ReadonlySet<string> = new Set(['request_key', 'entity_id', 'fetched_at', 'body', 'sha256']);

/** Returns the key-value metadata that a part has in its Parquet footer. */
export function footerOf(target: Omit<PartTarget, 'data'>): Record<string, string> {
  const { stream, run, date, market, chunk } = target;
  return { schema_version: SCHEMA_VERSION, stream, run, date, chunk, ...(market === null ? {} : { market }) };
}

/**
 * Encodes landed rows as one Parquet file with Brotli compression. The columns are listed in
 * schemas/pipeline/landing.ts. The footer names the stream, run, date and chunk, and also the market if the run has one.
 * The value of its key `content` is the SHA-256 of the hashes of all rows, one per line.
 */
export async function encodePart(target: PartTarget, frames: readonly Frame[]): Promise<Uint8Array> {
  const { parquetWriteBuffer: write } = await import('hyparquet-writer');
  const rows = frames.map(({ facts }) => facts);
  const constant = (value: string | null) => rows.map(() => value);
  const columns = {
    stream: constant(target.stream),
    run: constant(target.run),
    date: constant(target.date),
    market: constant(target.market),
    request_key: rows.map((row) => row.request_key),
    entity_id: rows.map((row) => row.entity_id),
    row_kind: rows.map((row) => row.row_kind),
    status: rows.map((row) => row.status),
    fetched_at: rows.map((row) => BigInt(Date.parse(row.fetched_at)) * 1000n),
    body: frames.map(({ body }) => body),
    sha256: rows.map((row) => row.sha256),
  };
  const content = sha256(rows.map((row) => `${row.sha256}\n`).join(''));
  const bytes = write({
    schema: SCHEMA,
    columnData: Object.entries(columns).map(([name, data]) => ({
      name,
      data,
      ...(DISTINCT.has(name) ? { encoding: 'PLAIN' as const } : {}),
    })),
    codec: 'BROTLI',
    compressors: { BROTLI: compress },
    statistics: false,
    rowGroupSize: ROW_GROUP_ROWS,
    kvMetadata: Object.entries({ ...footerOf(target), content }).map(([key, value]) => ({
      key,
      value,
    })),
    createdBy: 'tidemark',
  });
  return new Uint8Array(bytes);
}

// Higher qualities cost several times more CPU time.
const FASTEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

function compress(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, FASTEST);
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
