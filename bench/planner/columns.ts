/** Missing value in a numeric column. It is greater than any value and therefore sorts last. */
export const NONE = 2_147_483_647;

/** A market as columns. Row `i` of every column is the same company. */
export interface Columns {
  companies: number;
  id: Float64Array;
  status: Int32Array;
  legalForm: Int32Array;
  country: Int32Array;
  /** Postal code as a number; five digits as text. */
  zip: Int32Array;
  /** Bit `a` is set for each activity type `a` (1 to 30) of the company. */
  activities: Int32Array;
  /** Days since 1970-01-01. */
  incorporated: Int32Array;
  employees: Int32Array;
  /** Turnover with two decimals. */
  turnover: Float64Array;
}

/** Creates columns for a number of companies. Every value is NONE, every id 0. */
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

/** Copies the given rows, in the given order, into new columns. */
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

/** Sorts rows by incorporation and then by id; rows without a date come last. Searches list companies in this order. */
export function sortColumns(columns: Columns): Columns {
  const { incorporated, id } = columns;
  const rows = Uint32Array.from({ length: columns.companies }, (_, i) => i);
  return pickRows(
    columns,
    rows.sort((a, b) => incorporated[a]! - incorporated[b]! || id[a]! - id[b]!),
  );
}
