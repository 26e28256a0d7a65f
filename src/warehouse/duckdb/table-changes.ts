/** A write of a statement to a table of the ledger. */
export interface LedgerWrite {
  table: string;
  /** True: count the write even if the statement reports no changed rows. */
  always: boolean;
}

/*
 * The ledger counts the changes of its tables in `ledger.table_changes`. The build of the models compares the counts to
 * find out whether a table changed since the last build. Not counted:
 * - tables that only builds write, because models that read them are always built
 * - removed rows of a table `dirty_…`, because a build removes them after it has read them
 */
const NOT_COUNTED = /^(?:models|model_\w+|checks|built_from|changed_keys|table_changes)$/;

/** Returns whether only builds of the models write a table of the ledger, or change it without a count. */
export function isOfBuilds(table: string): boolean {
  return NOT_COUNTED.test(table);
}

const NAME = String.raw`"?ledger"?\s*\.\s*"?(\w+)"?`;
const ROWS = new RegExp(
  String.raw`^\s*(INSERT\s+(?:OR\s+\w+\s+)?INTO|MERGE\s+INTO|UPDATE|DELETE\s+FROM|WITH\b.*?\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|MERGE\s+INTO|UPDATE|DELETE\s+FROM))\s+${NAME}`,
  'is',
);
const WHOLE = new RegExp(
  String.raw`^\s*(?:TRUNCATE|COPY|(?:CREATE|DROP|ALTER)\b(?:(?!\bAS\b).)*?\b(?:TABLE|VIEW))(?:\s+IF\s+(?:NOT\s+)?EXISTS)?\s+${NAME}`,
  'is',
);

/** Finds the table of the ledger that a statement writes; undefined if there is none, or it is not counted. */
export function ledgerWrite(statement: string): LedgerWrite | undefined {
  const rows = ROWS.exec(statement);
  const table = (rows?.[2] ?? WHOLE.exec(statement)?.[1])?.toLowerCase();
  if (table === undefined || isOfBuilds(table)) return undefined;
  if (rows !== null && table.startsWith('dirty_') && /^DELETE/i.test(rows[1] ?? '')) return undefined;
  return { table: `ledger.${table}`, always: rows === null };
}

/** SQL statement that counts a change of each table in the JSON list `$tables`. */
export const COUNT_CHANGES = `
  MERGE INTO ledger.table_changes AS old
  USING (SELECT unnest(CAST(CAST($tables AS JSON) AS VARCHAR[])) AS table_name) AS new ON old.table_name = new.table_name
  WHEN MATCHED THEN UPDATE SET changes = old.changes + 1
  WHEN NOT MATCHED THEN INSERT VALUES (new.table_name, 1)`;
