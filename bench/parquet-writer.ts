import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  INTEGER,
  TIMESTAMP,
  VARCHAR,
  type DuckDBConnection,
} from '@duckdb/node-api';
import { tableToIPC, vectorFromArray, Table, Utf8 } from 'apache-arrow';
import { Compression, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';
import { formatCount } from '../schemas/format.js';
import type { LandedRow } from '../schemas/pipeline/landing.js';
import { createWorld } from '../sandbox/world/index.js';
import { encodePart, frameOf, type PartTarget } from '../src/landing/index.js';
import { report } from './report/report.js';
import { measured, type Cell } from './report/result.js';
import { interleaved, type Variant } from './rounds.js';
import { Data } from '../src/store/data.js';

/** Number of rows in a part, as a chunk of the crawl has them. */
const ROWS = 500;
const ROUNDS = 15;
const target: PartTarget = {
  data: new Data(''),
  stream: 'financials',
  run: 'a-run',
  date: '2026-11-20',
  market: 'demo',
  chunk: 'c',
};

/**
 * Compares ways to write a part: hyparquet-writer (used by Tidemark), parquet-wasm, DuckDB's appender and COPY, and plain
 * NDJSON. CPU time counts all threads.
 */
export async function benchParquetWriter(): Promise<void> {
  const world = createWorld({ companies: ROWS, tenders: 0, seed: 1, date: '2026-11-20' });
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
  // One thread, as the writer must not take cores from the models.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const kinds = {
      'company records': rowsOf(world, (id) => world.company(id, 0)),
      'financial reports': rowsOf(world, (id) => world.financialReport(id, 0)),
    };
    const cells = new Map<string, Cell[]>();
    for (const rows of Object.values(kinds))
      for (const [name, { seconds, bytes }] of await measure(rows, folder, connection))
        cells.set(name, [
          ...(cells.get(name) ?? []),
          measured(seconds, 'seconds'),
          `${formatCount(Math.round(bytes / 1_024))} KiB`,
        ]);
    report({
      bench: 'parquet-writer',
      settings: {},
      rounds: ROUNDS,
      tables: [
        {
          name: 'writers',
          columns: [`CPU for ${ROWS} answers`, ...Object.keys(kinds).flatMap((kind) => [kind, 'size'])],
          rows: [...cells].map(([name, row]) => ({ name, cells: row })),
        },
      ],
    });
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(world: ReturnType<typeof createWorld>, read: (id: number) => unknown): LandedRow[] {
  return world.companyIds(0).map((id): LandedRow => {
    const body = JSON.stringify(read(id)) ?? '{}';
    return {
      request_key: `GET /v2/record/${id}`,
      entity_id: String(id),
      row_kind: 'record',
      status: 200,
      fetched_at: '2026-11-20T02:00:00.000Z',
      body,
      sha256: createHash('sha256').update(body).digest('hex'),
    };
  });
}

/** Writes the rows with each writer. Returns the CPU seconds of all rounds and the size of the file, by writer. */
async function measure(
  rows: LandedRow[],
  folder: string,
  connection: DuckDBConnection,
): Promise<Map<string, { seconds: number[]; bytes: number }>> {
  const frames = rows.map(frameOf);
  const writers: Record<string, (file: string) => Promise<void> | void> = {
    NDJSON: (file) => writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n')),
    'hyparquet-writer, Brotli 1 (in use)': async (file) => writeFileSync(file, await encodePart(target, frames)),
    'parquet-wasm, zstd': (file) => writeFileSync(file, writeByWasm(rows)),
    'DuckDB, zstd level 1': (file) => writeByDuckDB(connection, rows, file),
  };
  const fileOf = (name: string): string => path.join(folder, name.replaceAll(/\W+/g, '-'));
  const variants = Object.fromEntries(
    Object.entries(writers).map(([name, write]): [string, Variant] => [
      name,
      async () => ({ run: () => write(fileOf(name)) }),
    ]),
  );
  const result = await interleaved(variants, ROUNDS);
  return new Map([...result].map(([name, { cpu }]) => [name, { seconds: cpu, bytes: statSync(fileOf(name)).size }]));
}

async function writeByDuckDB(connection: DuckDBConnection, rows: LandedRow[], file: string): Promise<void> {
  await connection.run(
    'CREATE OR REPLACE TABLE part (request_key VARCHAR, entity_id VARCHAR, row_kind VARCHAR, status INTEGER, fetched_at TIMESTAMP, body VARCHAR, sha256 VARCHAR)',
  );
  const types = [VARCHAR, VARCHAR, VARCHAR, INTEGER, TIMESTAMP, VARCHAR, VARCHAR];
  const chunk = DuckDBDataChunk.create(types, rows.length);
  const at = ({ fetched_at }: LandedRow) => new DuckDBTimestampValue(BigInt(Date.parse(fetched_at)) * 1_000n);
  chunk.setColumns([
    rows.map((row) => row.request_key),
    rows.map((row) => row.entity_id),
    rows.map((row) => row.row_kind),
    rows.map((row) => row.status),
    rows.map(at),
    rows.map((row) => row.body),
    rows.map((row) => row.sha256),
  ]);
  const appender = await connection.createAppender('part');
  appender.appendDataChunk(chunk);
  appender.closeSync();
  const { stream, run, date, market } = target;
  await connection.run(
    `COPY (SELECT '${stream}' AS stream, '${run}' AS run, '${date}' AS date, '${market}' AS market, * FROM part)
     TO '${file}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
}

function writeByWasm(rows: LandedRow[]): Uint8Array {
  const columns = (['request_key', 'entity_id', 'row_kind', 'fetched_at', 'body', 'sha256'] as const).map((name) => [
    name,
    vectorFromArray(
      rows.map((row) => row[name]),
      new Utf8(),
    ),
  ]);
  const properties = new WriterPropertiesBuilder().setCompression(Compression.ZSTD).build();
  const table = new Table(Object.fromEntries(columns));
  return writeParquet(WasmTable.fromIPCStream(tableToIPC(table, 'stream')), properties);
}
