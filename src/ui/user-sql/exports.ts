import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { invalidInput } from '../../core/errors.js';
import { ARROW_SOURCE, arrowStream } from '../../duckdb/arrow.js';
import { toPlain, type PlainValue } from '../../duckdb/plain-value.js';
import { forParquet } from '../../duckdb/parquet-types.js';
import { quote } from '../../duckdb/sql-files.js';
import type { OpenBuild } from '../data/open-build.js';
import { withLimits } from './run-query.js';
import { prepareQuery } from './statements.js';

/** File formats of exports. */
export const EXPORT_FORMATS = ['csv', 'parquet', 'arrow'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Media types by format. */
export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
};

/** Writes rows as CSV. */
export type CsvWriter = (
  rows: { columns: readonly string[]; batches: AsyncIterable<PlainValue[][]> },
  sink: (text: string) => Promise<void>,
) => Promise<void>;

/** Streams all rows of a query as CSV to `sink`. */
export async function exportCsv(
  build: OpenBuild,
  sql: string,
  seconds: number,
  signal: AbortSignal,
  write: CsvWriter,
  sink: (text: string) => Promise<void>,
): Promise<void> {
  await withLimits(build, seconds, signal, async (connection) => {
    const prepared = await prepareQuery(connection, sql);
    const result = await prepared.stream();
    async function* batches(): AsyncGenerator<PlainValue[][]> {
      for (;;) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) return;
        yield chunk.getRows().map((row) => row.map(toPlain));
      }
    }
    await write({ columns: result.deduplicatedColumnNames(), batches: batches() }, sink);
  });
}

/**
 * Returns all rows of a query as a Parquet file or an Arrow IPC stream.
 * @param scratch private folder for the file, removed afterwards
 */
export async function exportFile(
  build: OpenBuild,
  sql: string,
  format: 'parquet' | 'arrow',
  seconds: number,
  signal: AbortSignal,
  scratch: string,
): Promise<Uint8Array> {
  const file = path.join(scratch, `${randomUUID()}.parquet`);
  const compression = format === 'parquet' ? 'zstd' : ARROW_SOURCE;
  try {
    await withLimits(build, seconds, signal, async (connection) => {
      // Check the text alone first: inside COPY, its kind would be hidden.
      (await prepareQuery(connection, sql)).destroySync();
      const statements = await connection.extractStatements(sql);
      if (statements.count > 1) throw invalidInput('An export takes one statement.', 'Remove the other statements.');
      const exact = await forParquet(sql, async (text) => {
        const described = await connection.runAndReadAll(text);
        return described.getRows().map(([name, type]) => ({ name: name as string, type: type as string }));
      });
      await connection.run(`COPY (${exact}\n) TO ${quote(file)} (FORMAT parquet, COMPRESSION ${compression})`);
    });
    return await (format === 'parquet' ? readFile(file) : arrowStream(file));
  } finally {
    await rm(file, { force: true });
  }
}
