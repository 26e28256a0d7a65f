import { escapeUnseen } from '../../core/visible-text.js';
import type { PlainValue } from '../../warehouse/plain-value.js';

/** Writes text out; resolves when the receiver wants more. */
export type Sink = (text: string) => Promise<void>;

interface Rows {
  columns: readonly string[];
  batches: AsyncIterable<PlainValue[][]>;
}

/**
 * Rows as CSV (RFC 4180) with a header; lists and records as JSON, NULL as nothing. Text that a spreadsheet would run as a
 * formula gets an apostrophe in front (OWASP, "CSV Injection"), numbers excepted; with `exact` it stays as it is. Behind a
 * sign where spreadsheets of another country split, text inside a cell is guarded, too: they do not see its quotes.
 */
export async function writeCsv({ columns, batches }: Rows, sink: Sink, { exact = false } = {}): Promise<void> {
  const line = (values: readonly PlainValue[]): string =>
    `${values.map((value) => csvValue(value, exact)).join(',')}\r\n`;
  await sink(line(columns));
  for await (const batch of batches) await sink(batch.map(line).join(''));
}

/** Rows as one JSON array of objects, a line each; characters that are not seen as their escapes, which say the same. */
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

// Names come from outside. Spreadsheets also take the wide forms of East Asian keyboards, and skip white space in front.
const SIGN = String.raw`[=+\-@\uff0b\uff0d\uff1d\uff20]`;
const FORMULA = new RegExp(String.raw`^[\s\p{Cc}"]*${SIGN}|^[\t\r\n]`, 'u');
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$|^-?Infinity$/i;
// A quote opens a field for them only where the field begins: `1,"a;=b"` split at `;` is `1,"a` and the formula `=b"`.
const FORMULA_INSIDE = new RegExp(String.raw`(?=${SIGN})(?<=[;\t|\r\n][\s\p{Cc}"]*)`, 'gu');
const DELIMITERS = /[",;\t|\r\n]/;

function csvValue(value: PlainValue, exact: boolean): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = exact ? text : withoutFormulas(text);
  // An empty text is quoted, so that it is not taken for NULL.
  return safe === '' || DELIMITERS.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function withoutFormulas(text: string): string {
  const guarded = DELIMITERS.test(text) ? text.replaceAll(FORMULA_INSIDE, "'") : text;
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${guarded}` : guarded;
}
