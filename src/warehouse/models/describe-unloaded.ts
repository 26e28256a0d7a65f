import type { ModelsResult } from '../../../schemas/pipeline/activities.js';
import type { Database } from '../duckdb/database.js';

type Unloaded = NonNullable<ModelsResult['unloaded']>;

// Gives 1 if ops.coverage has the column loaded_companies, else 0. After a rollback of the models, or with the user's own
// model, the column may be missing.
const CAN_TELL = `
  SELECT count(*) FROM duckdb_columns()
  WHERE database_name = current_database() AND schema_name = 'ops' AND table_name = 'coverage' AND column_name = 'loaded_companies'`;

const UNLOADED = `
  SELECT CAST(distinct_companies AS DOUBLE) AS distinctCompanies, CAST(missing AS DOUBLE) AS missing, share,
    list_extract(CAST(why AS JSON[]), -1) ->> '$.reason' AS reason,
    CAST(counted_companies AS DOUBLE) AS counted, CAST(loaded_companies AS DOUBLE) AS loaded
  FROM ops.coverage WHERE run = $run AND loaded_companies <> counted_companies`;

/**
 * Reads from `ops.coverage` what is missing if the warehouse did not load all companies that a run found. Returns null
 * if it loaded all.
 */
export async function describeUnloaded(db: Database, run: string): Promise<Unloaded | null> {
  if ((await db.count(CAN_TELL)) === 0) return null;
  const [row] = await db.rows<Unloaded['coverage'] & { reason: string; counted: number; loaded: number }>(UNLOADED, {
    run,
  });
  if (row === undefined) return null;
  const { reason, counted, loaded, ...coverage } = row;
  return { coverage, reason, counted, loaded };
}
