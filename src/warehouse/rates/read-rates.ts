import type { Database } from '../duckdb/database.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import { errorMessage } from '../../base/errors.js';
import { CURRENCY } from '../../config/rates-source.js';

// Dates as central banks write them. No format with slashes and the day first, because 3/4/2026 is ambiguous.
const DATE_FORMATS = ['%Y-%m-%d', '%Y/%m/%d', '%Y%m%d', '%d %B %Y', '%d.%m.%Y'];

/**
 * Reads a file of exchange rates into the temporary tables `read_rates` (date, currency, rate) and `refused_rates`
 * (line, date, currency, rate, reason). The file has the columns `date`, `currency` and `rate`; or `date` and one column
 * for each currency. A cell that is empty or says N/A means: no rate on this day.
 * @param base currency to which the rates refer
 * @throws Error with a phrase about what is wrong with the whole file
 */
export async function readRates(db: Database, file: string, base: string): Promise<void> {
  await readFile(db, file);
  const columns = await db.rows<{ name: string }>(
    `SELECT column_name AS name FROM duckdb_columns() WHERE table_name = 'rates_file' AND column_name <> 'line' ORDER BY column_index`,
  );
  await db.run(`CREATE OR REPLACE TEMP TABLE rate_cells AS ${cellsOf(columns.map(({ name }) => name))}`);
  await db.run(`CREATE OR REPLACE TEMP TABLE judged_rates AS ${JUDGED}`, {
    base,
    formats: JSON.stringify(DATE_FORMATS),
  });
  await db.run(`CREATE OR REPLACE TEMP TABLE refused_rates AS
    SELECT line, date, currency, rate, reason FROM judged_rates WHERE reason IS NOT NULL`);
  await db.run(`CREATE OR REPLACE TEMP TABLE read_rates AS
    SELECT DISTINCT day AS date, code AS currency, value AS rate FROM judged_rates WHERE reason IS NULL`);
  for (const table of ['rates_file', 'rate_cells', 'judged_rates']) await db.run(`DROP TABLE ${table}`);
}

async function readFile(db: Database, file: string): Promise<void> {
  const scan = /\.parquet$/i.test(file)
    ? `read_parquet(${quote(file)})`
    : `read_csv(${quote(file)}, header = true, all_varchar = true, null_padding = true, strict_mode = false)`;
  try {
    await db.run(
      `CREATE OR REPLACE TEMP TABLE rates_file AS SELECT row_number() OVER () AS line, CAST(COLUMNS(*) AS VARCHAR) FROM ${scan}`,
    );
  } catch (error) {
    throw new Error(errorMessage(error).split('\n')[0], { cause: error });
  }
}

/** Returns the query that gives one row for each cell with a rate. */
function cellsOf(columns: readonly string[]): string {
  const named = (wanted: string): string | undefined => columns.find((name) => name.trim().toLowerCase() === wanted);
  const [date, currency, rate] = [named('date'), named('currency'), named('rate')];
  if (date !== undefined && currency !== undefined && rate !== undefined)
    return `SELECT line, ${identifier(date)} AS date, ${identifier(currency)} AS currency, ${identifier(rate)} AS rate FROM rates_file`;
  // One column for each currency, as central banks publish their rates.
  const currencies = columns.filter((name) => CURRENCY.test(name.trim()));
  if (date === undefined || currencies.length === 0)
    throw new Error(
      `it has the columns ${columns.join(', ') || '(none)'}; it needs date, currency and rate, or date and one column for each currency (USD, GBP and so on)`,
    );
  const cells = currencies.map((name) => `{'currency': ${quote(name.trim())}, 'rate': ${identifier(name)}}`);
  return `SELECT line, date, cell.currency AS currency, cell.rate AS rate
    FROM (SELECT line, ${identifier(date)} AS date, unnest([${cells.join(', ')}]) AS cell FROM rates_file)`;
}

// Judges each cell. `reason` is NULL for a usable rate. Two different rates of one day and currency are both refused,
// because nobody knows which one is right.
const JUDGED = `
  WITH cells AS (
    SELECT line, nullif(trim(date), '') AS date, nullif(upper(trim(currency)), '') AS currency, trim(rate) AS rate
    FROM rate_cells
  ),
  typed AS (
    SELECT *, currency AS code, TRY_CAST(rate AS DOUBLE) AS value,
      CAST(try_strptime(substr(date, 1, CASE WHEN date SIMILAR TO '\\d{4}-\\d\\d-\\d\\d[ T].*' THEN 10 ELSE 99 END),
        CAST(CAST($formats AS JSON) AS VARCHAR[])) AS DATE) AS day
    FROM cells
    WHERE coalesce(upper(rate), '') NOT IN ('', 'N/A', 'NA', '-') OR date IS NULL
  )
  SELECT *, CASE
      WHEN day IS NULL THEN 'the date is not a date like 2026-11-30'
      WHEN code IS NULL OR NOT regexp_full_match(code, '[A-Z]{3}') THEN 'the currency is not a code of three letters like USD'
      WHEN value IS NULL THEN 'the rate is not a number with a decimal point like 1.0845'
      WHEN NOT isfinite(value) OR value <= 0 THEN 'the rate is not above 0'
      WHEN code = $base AND value <> 1 THEN 'the rate of the base currency is not 1'
      WHEN min(value) OVER same_day <> max(value) OVER same_day THEN 'the file has another rate of the same day'
    END AS reason
  FROM typed
  WINDOW same_day AS (PARTITION BY day, code)`;
