import { routesOf } from '../shapes/declared.js';
import type { Database } from '../duckdb/database.js';
import { quote, readSqlFile } from '../duckdb/sql-files.js';

/**
 * Compares the bodies of the current batch with the schemas in `schemas/`. Stores the differences in the table
 * `ledger.shapes`. The staging file of the stream must have made the table `batch`. Does nothing for a stream that does
 * not come from the API.
 */
export async function loadDrift(db: Database, stream: string): Promise<void> {
  const routes = routesOf(stream);
  if (routes.length === 0) return;
  await db.run(`SET VARIABLE routes = [${routes.map(quote).join(', ')}]`);
  const run = (name: string): Promise<void> => db.runFile(readSqlFile(`staging/${name}.sql`));
  await run(stream === 'financials' ? '_shapes_by_year' : '_shapes');
  if (stream === 'financials_v1') await run('_shapes_v1_reports');
  await run('_shapes_end');
  if ((await db.count('SELECT count(*) FROM batch_drift')) > 0) await run('_shapes_drift');
}
