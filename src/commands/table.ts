import Table from 'cli-table3';
import { cut } from '../progress/format.js';

const MAX_CELL = 60;

export interface TableData {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
}

/** Rows as a text table: numbers to the right, no frame but a rule under the head, long cells cut. */
export function renderTable({ columns, rows }: TableData, maxCell = MAX_CELL): string {
  const numeric = columns.map(
    (_, i) =>
      rows.length > 0 &&
      rows.every((row) => row[i] === null || isNumber(row[i])) &&
      rows.some((row) => row[i] !== null),
  );
  const table = new Table({
    head: columns.map(String),
    colAligns: numeric.map((right) => (right ? 'right' : 'left')),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '',
    },
  });
  const decimals = columns.map((_, i) => (numeric[i] ? sharedDecimals(rows.map((row) => row[i])) : null));
  for (const row of rows) table.push(row.map((value, i) => cut(renderCell(value, decimals[i] ?? null), maxCell)));
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  const widths = lines.reduce((width, line) => Math.max(width, line.length), 0);
  return [lines[0] ?? '', '─'.repeat(widths), ...lines.slice(1)].join('\n');
}

/**
 * One value as a person reads it in a table: thousands grouped, NULL empty, lists joined, no control characters.
 * @param decimals places every number of the column is shown with; null: as many as it has
 */
export function renderCell(value: unknown, decimals: number | null = null): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'bigint') return value.toLocaleString('en-US');
  if (typeof value === 'number') return renderNumber(value, decimals);
  if (value instanceof Date)
    return value
      .toISOString()
      .replace('T', ' ')
      .replace(/\.000Z$/, 'Z');
  if (Array.isArray(value)) return value.map((item) => renderCell(item)).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Data is not ours: an escape sequence in it must not reach the terminal.
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\x00-\x1f\x7f-\x9f]+/g, ' ');
}

function renderNumber(value: number, decimals: number | null): string {
  // Years and short ids read better without a comma.
  const useGrouping = Math.abs(value) >= 10_000;
  const places = decimals ?? 15;
  const options = {
    useGrouping,
    maximumFractionDigits: places,
    ...(decimals === null ? {} : { minimumFractionDigits: places }),
  };
  return Number(value.toPrecision(12)).toLocaleString('en-US', options);
}

const MAX_DECIMALS = 4;

/** Places that show every number of a column in full, so that the points align; null when one needs many. */
function sharedDecimals(values: readonly unknown[]): number | null {
  let most = 0;
  for (const value of values) {
    if (typeof value !== 'number') continue;
    most = Math.max(most, /\.(\d+)$/.exec(String(Number(value.toPrecision(12))))?.[1]?.length ?? 0);
  }
  return most <= MAX_DECIMALS ? most : null;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}
