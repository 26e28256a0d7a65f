import { commentOn } from '../duckdb/comments.js';
import type { Database } from '../duckdb/database.js';

/** Columns of `meta.receipt`: name, type and published comment. */
export const RECEIPT_COLUMNS: readonly [name: string, type: string, comment: string][] = [
  ['id', 'VARCHAR', 'Random id of the file'],
  ['run', 'VARCHAR', 'Run that the build was made for'],
  ['built_at', 'TIMESTAMPTZ', 'When the file was built'],
  ['config_hash', 'VARCHAR', 'Hash of the configuration that the run used; NULL if the run was not a crawl'],
  ['models', 'JSON', 'Fingerprint of each model, as a JSON object'],
  ['tables', 'JSON', 'Number of rows of each table, as a JSON object'],
  ['parts', 'BIGINT', 'Number of landed parts that the build contains'],
  ['landed_rows', 'BIGINT', 'Number of responses in these parts'],
  ['coverage', 'JSON', "The run's rows of ops.coverage; NULL if the run has none"],
];

/** What `writeReceipt` records, and cannot read from the published tables. */
export interface Receipt {
  run: string;
  now: Date;
  /** Fingerprint of each model. */
  models: Record<string, string>;
  /** Number of rows of each table. */
  tables: Record<string, number>;
  parts: number;
  landedRows: number;
}

/** Published description of `meta.receipt`. */
export const RECEIPT_DESCRIPTION = 'The run and the data from which this file was built, in one row.';

/** Writes `meta.receipt` into the open database: one row that records the run, models and parts of the build. */
export async function writeReceipt(db: Database, { now, models, tables, ...rest }: Receipt): Promise<void> {
  await db.run('CREATE SCHEMA IF NOT EXISTS meta');
  const columns = RECEIPT_COLUMNS.map(([name, type]) => `${name} ${type}`);
  await db.run(`CREATE OR REPLACE TABLE meta.receipt (${columns.join(', ')})`);
  await db.run(
    `INSERT INTO meta.receipt SELECT
      CAST(uuid() AS VARCHAR), $run, CAST($builtAt AS TIMESTAMPTZ), (SELECT config_hash FROM ops.runs WHERE run_id = $run),
      CAST($models AS JSON), CAST($tables AS JSON), $parts, $landedRows,
      (SELECT to_json(list(c ORDER BY c.market)) FROM ops.coverage AS c WHERE c.run = $run)`,
    { ...rest, builtAt: now.toISOString(), models: JSON.stringify(models), tables: JSON.stringify(tables) },
  );
  await commentOn(
    db,
    'meta.receipt',
    RECEIPT_DESCRIPTION,
    RECEIPT_COLUMNS.map(([name, , comment]) => [name, comment] as const),
  );
}
