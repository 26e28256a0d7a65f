import { RECORD_STREAMS } from '../../../schemas/streams/landing-streams.js';
import type { Database } from '../duckdb/database.js';
import { quote, readSqlFile } from '../duckdb/sql-files.js';

// Runs with pending sightings that are finished, or that a later run of their market has overtaken.
const FINISHED = `
  WITH finished AS (
    SELECT run, market, date FROM ledger.run_records WHERE stream = 'runs' AND (body ->> '$.finished_at') IS NOT NULL
  )
  SELECT run, market
  FROM (SELECT run, market, min(date) AS date FROM ledger.pending_sightings GROUP BY ALL) AS p
  WHERE run IN (SELECT run FROM finished)
    OR EXISTS (FROM finished AS f WHERE f.market IS NOT DISTINCT FROM p.market AND f.date > p.date)
  ORDER BY date, run, market`;

/**
 * Moves the pending sightings of finished runs to `base.market_stays`. Call it in the transaction of each batch. So a
 * finished run has no pending sightings, also after a kill.
 * @param stream stream of the batch
 */
export async function foldSightings(db: Database, stream: string): Promise<void> {
  if (stream !== 'prospecting' && !RECORD_STREAMS.has(stream)) return;
  for (const { run, market } of await db.rows<{ run: string; market: string | null }>(FINISHED)) {
    await db.run(`SET VARIABLE fold_run = ${quote(run)}`);
    await db.run(`SET VARIABLE fold_market = ${market === null ? 'NULL' : quote(market)}`);
    await db.runFile(readSqlFile('staging/_market_stays.sql'));
  }
}
