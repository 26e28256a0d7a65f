import type { Database } from '../duckdb/database.js';
import { insertRows } from '../duckdb/insert-rows.js';
import type { Audit, Model } from './models.js';
import { identifier } from '../duckdb/sql-files.js';

/** Result of one audit. `failingRows` is the number of rows that the audit returned; 0 if it passed. */
export interface CheckResult {
  model: string;
  check: string;
  failingRows: number;
  severity: Audit['severity'];
}

/**
 * Lists the audits of a model: the key is unique, the key is not NULL, then the audits of the header. Key columns that
 * the header declares nullable may be NULL.
 */
export function listAudits(model: Model): Audit[] {
  const key = model.key.map(identifier).join(', ');
  const mandatory = model.key.filter((column) => !model.nullable.includes(column));
  // In an incremental model, only the keys just built can have wrong rows, so check only these keys.
  const scope =
    model.incremental === undefined
      ? model.model
      : `${model.model} SEMI JOIN changed USING (${model.incremental.by.map(identifier).join(', ')})`;
  return [
    {
      name: 'key_is_unique',
      severity: 'error',
      sql: `SELECT ${key} FROM ${scope} GROUP BY ${key} HAVING count(*) > 1`,
    },
    ...(mandatory.length === 0
      ? []
      : [
          {
            name: 'key_is_not_null',
            severity: 'error' as const,
            sql: `SELECT 1 FROM ${scope} WHERE ${mandatory.map((column) => `${identifier(column)} IS NULL`).join(' OR ')}`,
          },
        ]),
    ...model.audits,
  ];
}

/** Runs a model's audits against the table just built. */
export async function runAudits(db: Database, model: Model): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const audit of listAudits(model)) {
    const failingRows = await db.count(`SELECT count(*) FROM (${audit.sql})`);
    results.push({ model: model.model, check: audit.name, failingRows, severity: audit.severity });
  }
  return results;
}

/**
 * Saves the results of audits, and deletes the results of audits that no longer exist.
 * @param audited Models that were audited. The results of other models are kept
 * @param served All models that are served. The results of models that are no longer served are deleted
 */
export async function saveChecks(
  db: Database,
  results: CheckResult[],
  { now, audited, served }: { now: Date; audited: readonly string[]; served: readonly string[] },
): Promise<void> {
  const kept = served.filter((model) => !audited.includes(model));
  await db.run(`DELETE FROM ledger.checks WHERE NOT list_contains(CAST($kept AS JSON)::VARCHAR[], model)`, {
    kept: JSON.stringify(kept),
  });
  const rows = results.map(({ model, check, failingRows, severity }) => ({
    model,
    check,
    failing_rows: failingRows,
    severity,
    at: now.toISOString(),
  }));
  const shape = { model: 'VARCHAR', check: 'VARCHAR', failing_rows: 'BIGINT', severity: 'VARCHAR', at: 'TIMESTAMPTZ' };
  await insertRows(db, 'ledger.checks', shape, rows);
}

/** Reads the audits whose last result has wrong rows, in the order of the models. */
export async function readFailedChecks(db: Database, models: readonly Model[]): Promise<CheckResult[]> {
  const rows = await db.rows<{ model: string; check: string; failing_rows: string; severity: Audit['severity'] }>(
    'SELECT model, "check", failing_rows, severity FROM ledger.checks WHERE failing_rows > 0',
  );
  return models.flatMap((model) =>
    listAudits(model).flatMap(({ name }) =>
      rows
        .filter((row) => row.model === model.model && row.check === name)
        .map((row) => ({ ...row, failingRows: Number(row.failing_rows) })),
    ),
  );
}
