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
  /** The most frequent values in the column `example` of the audit's query, at most five; null without this column. */
  examples: string[] | null;
}

/**
 * Lists the audits of a model: the key is unique, the key is not NULL, then the audits of the header. Key columns that
 * the header declares nullable may be NULL.
 * @param rows Rows whose keys are checked, as SQL. Default: all rows of the table
 */
export function listAudits(model: Model, rows: string = model.model): Audit[] {
  return [...keyAudits(model, rows), ...model.audits];
}

function keyAudits(model: Model, rows: string): Audit[] {
  if (!model.check_key) return [];
  const withNull = findNullKeys(model, rows);
  const key = keyOf(model);
  return [
    { name: 'key_is_unique', severity: 'error', sql: `SELECT ${key} FROM ${rows} GROUP BY ALL HAVING count(*) > 1` },
    ...(withNull === null ? [] : [{ name: 'key_is_not_null', severity: 'error' as const, sql: withNull }]),
  ];
}

function keyOf({ key }: Model): string {
  return key.map(identifier).join(', ');
}

/** Returns a query for the rows with a NULL in a key column; null if all key columns are nullable. */
function findNullKeys({ key, nullable }: Model, rows: string): string | null {
  const mandatory = key.filter((column) => !nullable.includes(column)).map(identifier);
  if (mandatory.length === 0) return null;
  return `SELECT 1 FROM ${rows} WHERE ${mandatory.map((column) => `${column} IS NULL`).join(' OR ')}`;
}

/**
 * Returns a query for rows that may violate an audit of the key. None: all keys are unique and complete. Some: run the
 * audits of the key, because two keys may have the same hash. Needs less time than these audits.
 */
function suspectKeys(model: Model, rows: string): string {
  const withNull = findNullKeys(model, rows);
  const repeated = `SELECT 1 FROM (SELECT count(*) - count(DISTINCT hash(${keyOf(model)})) AS n FROM ${rows}) WHERE n > 0`;
  return withNull === null ? repeated : `${repeated} UNION ALL ${withNull}`;
}

const NO_ROWS = 'SELECT 1 WHERE false';

/** Counts the rows of each query. One statement needs less time than one for each query. */
async function countEach(db: Database, queries: readonly string[]): Promise<number[]> {
  const counts = queries.map((sql, n) => `SELECT ${n} AS n, count(*) AS failing FROM (${sql})`);
  const found = await db.rows<{ n: number; failing: string }>(counts.join(' UNION ALL '));
  const byQuery = new Map(found.map(({ n, failing }) => [n, Number(failing)]));
  return queries.map((_, n) => byQuery.get(n) ?? 0);
}

/**
 * Runs a model's audits against the table just built.
 * @param onlyChanged True: the build of an incremental model replaced only the keys in the temp table `changed`. So only
 * rows with these keys can be wrong
 */
export async function runAudits(
  db: Database,
  model: Model,
  { onlyChanged = false }: { onlyChanged?: boolean } = {},
): Promise<CheckResult[]> {
  const by = model.incremental?.by.map(identifier).join(', ');
  const rows = onlyChanged && by !== undefined ? `${model.model} SEMI JOIN changed USING (${by})` : model.model;
  const ofKey = keyAudits(model, rows).map(({ sql }) => sql);
  const ofHeader = model.audits.map(({ sql }) => sql);
  const [suspects = 0, ...rest] = await countEach(db, [
    model.check_key ? suspectKeys(model, rows) : NO_ROWS,
    ...ofHeader,
  ]);
  const counts = [...(suspects > 0 ? await countEach(db, ofKey) : ofKey.map(() => 0)), ...rest];
  const results: CheckResult[] = [];
  for (const [i, { name, severity, sql }] of listAudits(model, rows).entries()) {
    const failingRows = counts[i] ?? 0;
    const examples = failingRows === 0 ? null : await readExamples(db, sql);
    results.push({ model: model.model, check: name, failingRows, severity, examples });
  }
  return results;
}

/** Whether an audit of the header reads the keys in the temp table `changed`. */
export function readsChanged({ audits }: Model): boolean {
  return audits.some(({ sql }) => /\bchanged\b/i.test(sql));
}

async function readExamples(db: Database, sql: string): Promise<string[] | null> {
  const columns = await db.rows<{ column_name: string }>(`DESCRIBE SELECT * FROM (${sql})`);
  if (!columns.some(({ column_name }) => column_name === 'example')) return null;
  const rows = await db.rows<{ example: string }>(
    `SELECT CAST(example AS VARCHAR) AS example FROM (${sql}) WHERE example IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 5`,
  );
  return rows.map(({ example }) => example);
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
  await db.run(`DELETE FROM base.checks WHERE NOT list_contains(CAST($kept AS JSON)::VARCHAR[], model)`, {
    kept: JSON.stringify(kept),
  });
  const rows = results.map(({ model, check, failingRows, severity, examples }) => ({
    model,
    check,
    failing_rows: failingRows,
    severity,
    at: now.toISOString(),
    examples,
  }));
  const shape = {
    model: 'VARCHAR',
    check: 'VARCHAR',
    failing_rows: 'BIGINT',
    severity: 'VARCHAR',
    at: 'TIMESTAMPTZ',
    examples: 'VARCHAR[]',
  };
  await insertRows(db, 'base.checks', shape, rows);
}

/** Reads the audits whose last result has wrong rows, in the order of the models. */
export async function readFailedChecks(db: Database, models: readonly Model[]): Promise<CheckResult[]> {
  const rows = await db.rows<CheckResult & { failing_rows: string }>(
    'SELECT model, "check", failing_rows, severity, examples FROM base.checks WHERE failing_rows > 0',
  );
  return models.flatMap((model) =>
    listAudits(model).flatMap(({ name }) =>
      rows
        .filter((row) => row.model === model.model && row.check === name)
        .map((row) => ({ ...row, failingRows: Number(row.failing_rows) })),
    ),
  );
}
