import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  type DuckDBValue,
} from '@duckdb/node-api';

// Show times in UTC, not in the time zone of this machine.
DuckDBTimestampTZValue.timezoneOffsetInMinutes = 0;

/**
 * A value that JSON can hold. Dates and times are ISO text. A number is text if a JavaScript number would lose digits,
 * and if it is infinite or not a number.
 */
export type PlainValue = null | boolean | number | string | PlainValue[] | { [key: string]: PlainValue };

/** Converts one value of a DuckDB result into a plain value. */
export function toPlain(value: DuckDBValue): PlainValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return exactNumber(value.toString());
  if (value instanceof DuckDBDecimalValue) return exactNumber(value.toString());
  if (value instanceof DuckDBTimestampTZValue) return value.toString().replace(' ', 'T').replace(/\+00$/, 'Z');
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(toPlain);
  if (value instanceof DuckDBStructValue) return mapValues(Object.entries(value.entries));
  if (value instanceof DuckDBMapValue)
    return mapValues(value.entries.map(({ key, value: held }) => [keyText(toPlain(key)), held]));
  return String(value);
}

function keyText(key: PlainValue): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

function mapValues(entries: readonly (readonly [string, DuckDBValue])[]): { [key: string]: PlainValue } {
  return Object.fromEntries(entries.map(([key, value]) => [key, toPlain(value)]));
}

function exactNumber(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) || text.replace(/^-/, '').replace(/^0?\./, '').replace('.', '').length <= 15
    ? number
    : text;
}
