import type { ApiRow, OperationsAnswer } from '../../schemas/explorer/api.js';
import { readSqlFile } from '../duckdb/sql-files.js';
import { hasTables } from '../builds/has-tables.js';
import type { Reader } from '../builds/reader.js';

/**
 * Reads how the nights went: runs, coverage, requests and quality.
 * @param tables tables of the file; lists whose tables it lacks are empty
 */
export async function readOperations(reader: Reader, tables: ReadonlySet<string>): Promise<OperationsAnswer> {
  const read = async (file: string): Promise<ApiRow[]> => {
    const { text } = readSqlFile(file);
    return hasTables(tables, text) ? reader.rows<ApiRow>(text) : [];
  };
  const report = async (name: string): Promise<ApiRow[]> => read(`report/${name}.sql`);
  const own = async (name: string): Promise<ApiRow[]> => read(`ui/operations/${name}.sql`);
  return {
    nights: await report('nights'),
    runs: await report('runs'),
    coverage: await report('coverage'),
    gaps: await report('gaps'),
    forecasts: await report('forecasts'),
    requests: await report('requests'),
    quota: await report('quota'),
    freshness: await report('freshness'),
    drift: await report('drift'),
    segments: await own('segments'),
    rejects: await own('open-rejects'),
    checks: await own('failing-checks'),
    models: await own('models'),
    receipt: (await own('receipt'))[0] ?? null,
  };
}
