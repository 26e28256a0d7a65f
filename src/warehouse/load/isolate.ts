import { errorMessage, TidemarkError } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { OutOfMemoryError } from '../duckdb/memory-limit.js';
import { quote } from '../duckdb/sql-files.js';
import type { LandedPart } from '../../landing/index.js';

/*
 * A part may fail to load although its file is as written: DuckDB runs out of memory, meets a value that breaks a
 * statement, or cannot read the file. Then the failing rows become rejects (`not_loadable`), and the load goes on with
 * the others. The part counts as loaded, so later loads do not fail again. A replay tries all rows again.
 */

/** Which rows of a part to load, by their numbers in the part. Default: all. */
export interface RowChoice {
  from?: number;
  /** First row after the range. */
  to?: number;
  /** Rows that become rejects. With `all`, their texts are not even read. */
  refused?: readonly number[] | 'all';
  /** Keeps the texts of refused rows only in the part, because they may be what needs too much memory. */
  withoutTexts?: boolean;
}

/** Loads the chosen rows of a part in one transaction, and returns the number of rejects. A trial changes nothing. */
export type LoadRows = (choice: RowChoice, trial: boolean) => Promise<number>;

/** Result of `loadIsolated`: the number of rejects, and of refused rows among them. */
export interface Isolated {
  rejects: number;
  refused: number;
}

/** DuckDB cannot read the file of a part. The message is a phrase that names the file. */
export class UnreadablePartError extends Error {}

// Each trial loads a range of rows. After this many trials, the rest of a failing range is refused as a whole.
const MOST_TRIALS = 60;
/** Columns that a part must have, as schemas/pipeline/landing.ts lists them. */
const COLUMNS: Readonly<Record<string, string>> = {
  stream: 'VARCHAR',
  run: 'VARCHAR',
  date: 'VARCHAR',
  market: 'VARCHAR',
  request_key: 'VARCHAR',
  entity_id: 'VARCHAR',
  row_kind: 'VARCHAR',
  status: 'INTEGER',
  fetched_at: 'TIMESTAMP',
  body: 'VARCHAR',
  sha256: 'VARCHAR',
};

/**
 * Whether the content of parts may be the cause of a failed load. False if the disk, a lock or the warehouse file is
 * the cause: then no other choice of rows helps.
 */
export function isOfContent(error: unknown): boolean {
  if (error instanceof TidemarkError && !(error instanceof ModelFailedError || error instanceof OutOfMemoryError))
    return false;
  return !/corrupt database|checksum|fatal error|internal error|has been invalidated|failed to commit/i.test(
    errorMessage(error),
  );
}

/**
 * Loads a part whose load failed. Searches the failing rows by trials with ranges of rows, and refuses them. If that
 * does not help, refuses all rows.
 * @param cause the error of the failed load
 * @throws UnreadablePartError when DuckDB cannot read the file
 * @throws the cause when the part is not the reason, for example because a statement fails without any row
 */
export async function loadIsolated(db: Database, part: LandedPart, load: LoadRows, cause: unknown): Promise<Isolated> {
  await requireReadable(db, part, cause);
  if (!(await succeeds(() => load({ from: 0, to: 0 }, true)))) throw cause;
  const refused = await findFailing(load, part.rows);
  for (const choice of [{ refused }, { refused, withoutTexts: true }]) {
    try {
      return { rejects: await load(choice, false), refused: refused.length };
    } catch (error) {
      if (!isOfContent(error)) throw error;
    }
  }
  return { rejects: await load({ refused: 'all' }, false), refused: part.rows };
}

/** Returns the numbers of the rows without which the others load. */
async function findFailing(load: LoadRows, rows: number): Promise<number[]> {
  const failing: number[] = [];
  let trials = 0;
  const search = async (from: number, to: number): Promise<void> => {
    if (trials < MOST_TRIALS) {
      trials++;
      if (await succeeds(() => load({ from, to }, true))) return;
      if (to - from > 1) {
        const middle = from + Math.ceil((to - from) / 2);
        await search(from, middle);
        await search(middle, to);
        return;
      }
    }
    for (let row = from; row < to; row++) failing.push(row);
  };
  await search(0, rows);
  return failing;
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isOfContent(error)) throw error;
    return false;
  }
}

/**
 * Checks that a part has all columns, and that DuckDB can read them, except the texts.
 * @throws UnreadablePartError when it does not; the cause when the warehouse cannot be read either
 */
async function requireReadable(db: Database, part: LandedPart, cause: unknown): Promise<void> {
  if (!(await succeeds(() => db.rows('SELECT count(*) FROM ledger.loaded_parts')))) throw cause;
  const rows = `read_parquet(${quote(part.file)}, hive_partitioning = false)`;
  const unreadable = (why: string): Error => new UnreadablePartError(`${part.file} cannot be read: ${why}`);
  try {
    const columns = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE FROM ${rows}`);
    const types = new Map(columns.map(({ column_name, column_type }) => [column_name, column_type]));
    const wrong = Object.entries(COLUMNS).find(([name, type]) => types.get(name) !== type);
    if (wrong !== undefined) throw unreadable(`its column ${wrong[0]} is not ${wrong[1]}`);
    await db.rows(
      `SELECT max(CAST(date AS DATE)), max(COLUMNS(c -> c IN (${Object.keys(COLUMNS)
        .filter((name) => name !== 'body')
        .map(quote)
        .join(', ')}))) FROM ${rows}`,
    );
  } catch (error) {
    throw error instanceof UnreadablePartError ? error : unreadable(errorMessage(error).split('\n', 1)[0] ?? '');
  }
}
