/** Stands in a numeric column for "the register has no such value"; greater than any value, so it sorts last. */
export const NONE = 2_147_483_647;

/** A market, column by column; row `i` of every column is the same company. */
export interface Columns {
  companies: number;
  id: Float64Array;
  status: Int32Array;
  legalForm: Int32Array;
  country: Int32Array;
  /** Postal code as a number; five digits when said. */
  zip: Int32Array;
  /** Bit `a` is set for each activity type `a` (1 to 30) of the company. */
  activities: Int32Array;
  /** Days since 1970-01-01. */
  incorporated: Int32Array;
  employees: Int32Array;
  /** Two decimals. */
  turnover: Float64Array;
}

/** Columns with room for so many companies; every value is NONE, every id 0. */
export function emptyColumns(companies: number): Columns {
  const ints = (): Int32Array => new Int32Array(companies).fill(NONE);
  return {
    companies,
    id: new Float64Array(companies),
    status: ints(),
    legalForm: ints(),
    country: ints(),
    zip: ints(),
    activities: new Int32Array(companies),
    incorporated: ints(),
    employees: ints(),
    turnover: new Float64Array(companies).fill(NONE),
  };
}

/** The rows named, in their order, as columns of their own. */
export function pickRows(columns: Columns, rows: Uint32Array): Columns {
  const picked = emptyColumns(rows.length);
  for (const name of NAMES) {
    const from = columns[name];
    const to = picked[name];
    for (let i = 0; i < rows.length; i++) to[i] = from[rows[i]!]!;
  }
  return picked;
}

const NAMES = [
  'id',
  'status',
  'legalForm',
  'country',
  'zip',
  'activities',
  'incorporated',
  'employees',
  'turnover',
] as const;

/** Rows ordered by incorporation, those without one last, then by id: the order in which searches list them. */
export function sortColumns(columns: Columns): Columns {
  const { incorporated, id } = columns;
  const rows = Uint32Array.from({ length: columns.companies }, (_, i) => i);
  return pickRows(
    columns,
    rows.sort((a, b) => incorporated[a]! - incorporated[b]! || id[a]! - id[b]!),
  );
}
