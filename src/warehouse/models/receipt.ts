import { commentOn } from '../duckdb/comments.js';
import type { Database } from '../duckdb/database.js';
import type { Model } from './models.js';

/** Number of rows of each published table. */
export type TableCounts = Map<string, number>;

/** Columns of `meta.receipt`: name, type and published comment. */
export const RECEIPT_COLUMNS: readonly [name: string, type: string, comment: string][] = [
  ['run', 'VARCHAR', 'Run that the build was made for'],
  ['built_at', 'TIMESTAMPTZ', 'When the file was built'],
  ['config_hash', 'VARCHAR', 'Hash of the configuration that the run used; NULL if the run was not a crawl'],
  ['models', 'JSON', 'Fingerprint of each model, as a JSON object'],
  ['tables', 'JSON', 'Number of rows of each table, as a JSON object'],
  ['parts', 'BIGINT', 'Number of landed parts that the build contains'],
  ['landed_rows', 'BIGINT', 'Number of responses in these parts'],
  ['coverage', 'JSON', "The run's rows of ops.coverage; NULL if the run has none"],
  ['method', 'VARCHAR', 'full: all rows were written. incremental: an earlier build was copied and changed'],
  ['reason', 'VARCHAR', 'Why this method was used, as a sentence'],
  ['base', 'VARCHAR', 'Name of the build that was copied; NULL if all rows were written'],
  ['changed_rows', 'BIGINT', 'Number of rows that were added, replaced or removed; NULL if all rows were written'],
  ['contents', 'JSON', 'Hash of the rows of each table, as a JSON object; does not depend on their order'],
  ['layout', 'VARCHAR', 'Hash of the columns, comments and functions of all tables'],
  ['model_build', 'VARCHAR', 'Id of the last build of the models that the file contains'],
  ['full_bytes', 'BIGINT', 'Size of the last file in which all rows were written; NULL if this is that file'],
  ['compared_at', 'TIMESTAMPTZ', 'When all rows of the file were last compared with the warehouse'],
];

/** How a build was made, and from what. */
export interface Made {
  method: 'full' | 'incremental';
  /** A sentence for a person. */
  reason: string;
  base: string | null;
  changedRows: number | null;
  /** Hash of the rows of each table. */
  contents: Record<string, string>;
  layout: string;
  modelBuild: string | null;
  fullBytes: number | null;
  /** ISO instant. */
  comparedAt: string | null;
}

/** Published description of `meta.receipt`. */
export const RECEIPT_DESCRIPTION = 'The run and the data from which this file was built, in one row.';

/** Writes `meta.receipt`: one row that records the run, configuration, models and parts of the build. */
export async function writeReceipt(
  db: Database,
  counts: TableCounts,
  models: Model[],
  { run, now, made }: { run: string; now: Date; made: Made },
): Promise<void> {
  await db.run('CREATE SCHEMA IF NOT EXISTS build.meta');
  await db.run(
    `CREATE OR REPLACE TABLE build.meta.receipt (${RECEIPT_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  );
  await db.run(
    `INSERT INTO build.meta.receipt SELECT
      $run, CAST($builtAt AS TIMESTAMPTZ), (SELECT config_hash FROM ops.runs WHERE run_id = $run),
      CAST($models AS JSON), CAST($tables AS JSON),
      (SELECT count(*) FROM ledger.loaded_parts), (SELECT coalesce(sum(rows), 0) FROM ledger.loaded_parts),
      (SELECT to_json(list(c ORDER BY c.market)) FROM ops.coverage AS c WHERE c.run = $run),
      $method, $reason, $base, CAST($changedRows AS BIGINT), CAST($contents AS JSON), $layout, $modelBuild, CAST($fullBytes AS BIGINT), CAST($comparedAt AS TIMESTAMPTZ)`,
    {
      ...made,
      contents: JSON.stringify(made.contents),
      run,
      builtAt: now.toISOString(),
      models: JSON.stringify(Object.fromEntries(models.map((model) => [model.model, model.fingerprint]))),
      tables: JSON.stringify(Object.fromEntries(counts)),
    },
  );
  const columns = RECEIPT_COLUMNS.map(([name, , comment]) => [name, comment] as const);
  await commentOn(db, 'build.meta.receipt', RECEIPT_DESCRIPTION, columns);
}
