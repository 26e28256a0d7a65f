import { createRequire } from 'node:module';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type * as Fzstd from 'fzstd';
import { readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import type { parquetWriteBuffer } from 'hyparquet-writer';
import type { LandedRow } from '../../schemas/pipeline/landing.js';
import { sha256 } from '../base/hash.js';
import type { Frame } from './frames.js';
import type { PartTarget } from './paths.js';

const require = createRequire(import.meta.url);
// Loaded at the first use: only joined parts need it.
const loadZstd = () => require('fzstd') as typeof Fzstd;

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
export async function encodePart(target: PartTarget, rows: readonly Frame[]): Promise<Uint8Array> {
  const { parquetWriteBuffer: write } = await import('hyparquet-writer');
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
    body: rows.map((row) => row.body),
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const READER = {
  parsers: {
    ...DEFAULT_PARSERS,
    stringFromBytes: (bytes: Uint8Array | undefined) => utf8.decode(bytes),
    timestampFromMicroseconds: (micros: bigint) => new Date(Number(micros) / 1_000).toISOString(),
  },
  compressors: {
    BROTLI: (bytes: Uint8Array) => brotliDecompressSync(bytes),
    // DuckDB writes the joined parts with zstd.
    ZSTD: (bytes: Uint8Array, length: number) => loadZstd().decompress(bytes, new Uint8Array(length)),
  },
};

/**
 * Decodes the rows of a part from the bytes of its file. Check the hash of the bytes first: with damaged pages, the reader
 * may never return.
 */
export function decodePart(bytes: Uint8Array): LandedRow[] {
  const metadata = parquetMetadata(bytes);
  const root = parquetSchema(metadata);
  return metadata.row_groups.flatMap(({ columns, num_rows }) => {
    const groupRows = Number(num_rows);
    const read = <Name extends keyof LandedRow>(name: Name): LandedRow[Name][] => {
      const column = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)!.meta_data!;
      const leaf = root.children.find(({ element }) => element.name === name)!;
      const start = bytes.byteOffset + Number(column.dictionary_page_offset ?? column.data_page_offset);
      const { data: pages } = readColumn(
        { view: new DataView(bytes.buffer, start, Number(column.total_compressed_size)), offset: 0 },
        { groupStart: 0, groupRows, selectStart: 0, selectEnd: groupRows },
        { ...column, ...READER, pathInSchema: [name], element: leaf.element, schemaPath: [root, leaf] },
      );
      return pages.flatMap((page) => [...page]) as LandedRow[Name][];
    };
    const request_key = read('request_key');
    const entity_id = read('entity_id');
    const row_kind = read('row_kind');
    const status = read('status');
    const fetched_at = read('fetched_at');
    const body = read('body');
    const hashes = read('sha256');
    return Array.from({ length: groupRows }, (_, row) => ({
      request_key: request_key[row]!,
      entity_id: entity_id[row]!,
      row_kind: row_kind[row]!,
      status: status[row]!,
      fetched_at: fetched_at[row]!,
      body: body[row]!,
      sha256: hashes[row]!,
    }));
  });
}

/** Reads from its footer how many rows a file has. */
export function countRows(bytes: Uint8Array): number {
  return Number(parquetMetadata(bytes).num_rows);
}
