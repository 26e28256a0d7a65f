import type { DuckDBValue } from '@duckdb/node-api';
import type { ApiRow, NamedCode, OperationsAnswer } from '../../../schemas/explorer/api.js';
import { readSqlFile } from '../../warehouse/duckdb/sql-files.js';
import { hasTables } from '../../warehouse/builds/has-tables.js';
import type { Reader } from '../../warehouse/builds/reader.js';

/**
 * Reads how the nights went: runs, coverage, requests and quality.
 * @param tables tables of the file; lists whose tables it lacks are empty
 * @param night date of the segments, as `2026-11-20`; null for the latest search of each market
 */
export async function readOperations(
  reader: Reader,
  tables: ReadonlySet<string>,
  night: string | null,
): Promise<OperationsAnswer> {
  const report = async (name: string): Promise<ApiRow[]> => readList(reader, tables, `explorer/report/${name}.sql`);
  return {
    nights: await report('nights'),
    runs: await report('runs'),
    coverage: await report('coverage'),
    forecasts: await report('forecasts'),
    requests: await report('requests'),
    quota: await report('quota'),
    freshness: await report('freshness'),
    drift: await report('drift'),
    ...(await readDetails(reader, tables, night)),
  };
}

/** Reads the part of the operations that the facts of the report lack. */
export async function readDetails(
  reader: Reader,
  tables: ReadonlySet<string>,
  night: string | null = null,
): Promise<
  Pick<
    OperationsAnswer,
    'quality' | 'searches' | 'reasons' | 'segments' | 'codes' | 'rejects' | 'checks' | 'models' | 'receipt'
  >
> {
  const own = async (name: string): Promise<ApiRow[]> => readList(reader, tables, `explorer/operations/${name}.sql`);
  return {
    quality: await own('quality'),
    searches: await own('searches'),
    reasons: await own('reasons'),
    segments: await readList(reader, tables, 'explorer/operations/segments.sql', { night }),
    codes: await readList<NamedCode>(reader, tables, 'explorer/operations/codes.sql'),
    rejects: await own('open-rejects'),
    checks: await own('failing-checks'),
    models: await own('models'),
    receipt: (await own('receipt'))[0] ?? null,
  };
}

async function readList<Row extends object = ApiRow>(
  reader: Reader,
  tables: ReadonlySet<string>,
  file: string,
  params?: Record<string, DuckDBValue>,
): Promise<Row[]> {
  const { text } = readSqlFile(file);
  return hasTables(tables, text) ? reader.rows<Row>(text, params) : [];
}
