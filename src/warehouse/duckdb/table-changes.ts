/** A write of a statement to a table of the schemas `ledger` and `base`. */
export interface LedgerWrite {
  /** With its schema: `ledger.answers`. */
  table: string;
  /** True: count the write even if the statement reports no changed rows. */
  always: boolean;
}

/*
 * `ledger.table_changes` has a random id for the last change of each table. The build of the models compares the ids to
 * find out whether a table changed since the last build. The lake compares them, too. Not recorded:
 * - tables of the ledger that only builds write
 * - removed rows of a table `dirty_…`, because a build removes them after it has read them
 */
const NOT_COUNTED = /^ledger\.(?:model_\w+|built_from|table_changes)$/;
const OF_BUILDS = /^base\.(?:models|model_\w+|checks)$/;

/** Returns whether builds of the models write a table. Models that read such a table are always built. */
export function isOfBuilds(table: string): boolean {
  return NOT_COUNTED.test(table) || OF_BUILDS.test(table);
}

const NAME = String.raw`"?(ledger|base)"?\s*\.\s*"?(\w+)"?`;
const ROWS = new RegExp(
  String.raw`^\s*(INSERT\s+(?:OR\s+\w+\s+)?INTO|MERGE\s+INTO|UPDATE|DELETE\s+FROM|WITH\b.*?\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|MERGE\s+INTO|UPDATE|DELETE\s+FROM))\s+${NAME}`,
  'is',
);
const WHOLE = new RegExp(
  String.raw`^\s*(?:TRUNCATE|COPY|(?:CREATE|DROP|ALTER)\b(?:(?!\bAS\b).)*?\b(?:TABLE|VIEW))(?:\s+IF\s+(?:NOT\s+)?EXISTS)?\s+${NAME}`,
  'is',
);

/** Finds the table that a statement writes; undefined if it writes none of these schemas, or the write is not recorded. */
export function ledgerWrite(statement: string): LedgerWrite | undefined {
  const rows = ROWS.exec(statement);
  const [schema, name] = rows?.slice(2) ?? WHOLE.exec(statement)?.slice(1) ?? [];
  const table = `${schema}.${name}`.toLowerCase();
  if (schema === undefined || NOT_COUNTED.test(table)) return undefined;
  if (rows !== null && table.startsWith('ledger.dirty_') && /^DELETE/i.test(rows[1] ?? '')) return undefined;
  return { table, always: rows === null };
}

/** SQL statement that records a change of each table in the JSON list `$tables`. */
export const COUNT_CHANGES = `
  MERGE INTO ledger.table_changes AS old
  USING (SELECT unnest(CAST(CAST($tables AS JSON) AS VARCHAR[])) AS table_name, CAST(uuid() AS VARCHAR) AS change) AS new
  ON old.table_name = new.table_name
  WHEN MATCHED THEN UPDATE SET change = new.change
  WHEN NOT MATCHED THEN INSERT VALUES (new.table_name, new.change)`;
