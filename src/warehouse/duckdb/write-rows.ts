import { escapeUnseen } from '../../base/text/visible-text.js';
import type { PlainValue } from './plain-value.js';

/** Writes text to a destination; resolves when the destination accepts more text. */
export type Sink = (text: string) => Promise<void>;

/** Rows of a query in batches. */
export interface Rows {
  columns: readonly string[];
  batches: AsyncIterable<PlainValue[][]>;
}

/** Writes rows as text. */
export type RowWriter = (rows: Rows, sink: Sink) => Promise<void>;

/**
 * Writes rows as CSV (RFC 4180) with a header. Lists and records are JSON, NULL is empty.
 *
 * Guards against CSV injection (OWASP): puts an apostrophe before text that a spreadsheet would run as a formula.
 * Numbers get no apostrophe. In some locales, spreadsheets split cells at `;`, tab or `|` and ignore quotes. So a
 * formula after one of these characters gets an apostrophe too. `exact` turns the guard off.
 */
export async function writeCsv({ columns, batches }: Rows, sink: Sink, { exact = false } = {}): Promise<void> {
  const line = (values: readonly PlainValue[]): string =>
    `${values.map((value) => csvValue(value, exact)).join(',')}\r\n`;
  await sink(line(columns));
  for await (const batch of batches) await sink(batch.map(line).join(''));
}

/** Writes rows as one JSON array with one object per line. Writes invisible characters as JSON escapes. */
export async function writeJson({ columns, batches }: Rows, sink: Sink): Promise<void> {
  let separator = '[\n';
  for await (const batch of batches) {
    for (const row of batch) {
      await sink(
        separator +
          escapeUnseen(JSON.stringify(Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])))),
      );
      separator = ',\n';
    }
  }
  await sink(separator === '[\n' ? '[]\n' : '\n]\n');
}

// Matches the first character of a formula. Spreadsheets also accept the full-width East Asian forms of these signs.
const SIGN = String.raw`[=+\-@\uff0b\uff0d\uff1d\uff20]`;
const FORMULA = new RegExp(String.raw`^[\s\p{Cc}"]*${SIGN}|^[\t\r\n]`, 'u');
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$|^-?Infinity$/i;
// Matches a formula in the middle of a field. Example: a spreadsheet that splits `1,"a;=b"` at `;` gets the cells
// `1,"a` and `=b"`. The second cell is a formula. A quote prevents the split only at the start of a cell, and `1,"a`
// does not start with a quote.
const FORMULA_INSIDE = new RegExp(String.raw`(?=${SIGN})(?<=[;\t|\r\n][\s\p{Cc}"]*)`, 'gu');
const DELIMITERS = /[",;\t|\r\n]/;

/** Writes one value as a CSV field. */
export function csvValue(value: PlainValue, exact: boolean): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = exact ? text : withoutFormulas(text);
  // Quote an empty text, so that it differs from NULL.
  return safe === '' || DELIMITERS.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Puts an apostrophe before text that a spreadsheet would run as a formula (see `writeCsv`). */
export function withoutFormulas(text: string): string {
  const guarded = DELIMITERS.test(text) ? text.replaceAll(FORMULA_INSIDE, "'") : text;
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${guarded}` : guarded;
}
