import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** Prints the rows of a query on the published file as JSON. */
export async function printRows(sql) {
  const data = process.env.TIDEMARK_DATA ?? path.join('..', '..', 'data');
  const instance = await DuckDBInstance.create(path.join(data, 'published', 'market.duckdb'), {
    access_mode: 'READ_ONLY',
  });
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll(sql);
  // Large numbers stay exact as texts, so the queries cast counts to INTEGER.
  process.stdout.write(JSON.stringify(rows.getRowObjectsJson()));
}
