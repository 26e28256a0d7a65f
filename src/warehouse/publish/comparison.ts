import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { formatCount } from '../../../schemas/format.js';
import type { Model } from '../models/models.js';
import { isSame, readContents, type Contents } from './contents.js';
import { DAY_SECONDS } from '../../base/time/time.js';

/** When to compare all rows of a new build with the warehouse, and not only the rows that changed. */
export interface ComparisonPolicy {
  /** All rows of all tables are compared if this did not happen for this time, in seconds. Default: 7 days. */
  compareEvery?: number | undefined;
  /** All rows of a changed table are always compared if it has at most this many. Default: 20,000,000. */
  smallTableRows?: number | undefined;
}

/** Tables of which an incremental publication compares all rows. */
export interface Comparison {
  /** True: all tables, also unchanged ones. False: changed tables with at most `smallTableRows` rows. */
  all: boolean;
  smallTableRows: number;
}

const DEFAULT_COMPARE_EVERY = 7 * DAY_SECONDS;
const DEFAULT_SMALL_TABLE_ROWS = 20_000_000;

/**
 * Chooses what an incremental publication compares.
 * @param comparedAt ISO instant of the last comparison of all rows; null if unknown
 */
export function chooseComparison(
  comparedAt: string | null,
  {
    now,
    compareEvery = DEFAULT_COMPARE_EVERY,
    smallTableRows = DEFAULT_SMALL_TABLE_ROWS,
  }: ComparisonPolicy & { now: Date },
): Comparison {
  const age = comparedAt === null ? Infinity : (now.getTime() - Date.parse(comparedAt)) / 1_000;
  // The age is negative if the clock was set back.
  return { all: !(age >= 0 && age < compareEvery), smallTableRows };
}

/** Whether all rows of a changed table are compared. */
export function isRead({ all, smallTableRows }: Comparison, { rows }: Contents): boolean {
  return all || rows <= smallTableRows;
}

/**
 * Compares a table of the warehouse with its expected contents: all rows, or only their number.
 * @throws ModelFailedError when the table has other rows
 */
export async function requireSame(
  db: Database,
  model: Model,
  expected: Contents,
  { read = true }: { read?: boolean } = {},
): Promise<void> {
  const found = read
    ? await readContents(db, model, model.model)
    : { ...expected, rows: await db.count(`SELECT count(*) FROM ${model.model}`) };
  if (isSame(found, expected)) return;
  const what =
    found.rows === expected.rows
      ? `rows of ${model.model} differ`
      : `${model.model} has ${formatCount(expected.rows)} rows instead of ${formatCount(found.rows)}`;
  throw new ModelFailedError(
    `The earlier build with the recorded changes is not equal to the warehouse: ${what}.`,
    'Tidemark writes all rows instead.',
  );
}
