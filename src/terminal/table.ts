import { visibleLine } from '../core/visible-text.js';
import { cut, displayWidth, pad } from '../progress/display-width.js';
import { formatNumber } from '../core/format-number.js';

const MAX_CELL = 60;
const MIN_CELL = 12;
const GAP = '  ';
const MAX_DECIMALS = 4;

/** A table to render. Each row has one value per column. */
export interface TableData {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
}

/** Limits for the width of a table. */
export interface TableOptions {
  /** Maximum width of a cell, in columns of the terminal. Longer cells are cut. @default 60 */
  maxCell?: number;
  /**
   * Width of the terminal in columns. Cells are cut further until the table fits, but never below 12 columns. @default
   * unlimited
   */
  width?: number;
}

/** Renders rows as a text table. Numbers are right-aligned, a line separates the header, and long cells are cut. */
export function renderTable(
  { columns, rows }: TableData,
  { maxCell = MAX_CELL, width = Infinity }: TableOptions = {},
): string {
  const shown = columns.map((name, i) =>
    renderColumn(
      name,
      rows.map((row) => row[i]),
    ),
  );
  const widths = fitWidths(
    shown.map(({ cells }) => Math.min(maxCell, Math.max(...cells.map(displayWidth)))),
    width,
  );
  const line = (row: number): string =>
    shown
      .map(({ cells, side }, i) => pad(cut(cells[row] ?? '', widths[i] ?? 0), widths[i] ?? 0, side))
      .join(GAP)
      .trimEnd();
  const rule = '─'.repeat(widths.reduce((sum, one) => sum + one, 0) + GAP.length * Math.max(0, columns.length - 1));
  return [line(0), rule, ...rows.map((_, row) => line(row + 1))].join('\n');
}

/** Formats the header and cells of one column as text. */
function renderColumn(name: string, values: readonly unknown[]): { cells: string[]; side: 'left' | 'right' } {
  const numeric =
    values.some(isNumber) && values.every((value) => value === null || value === undefined || isNumber(value));
  // The digits of an id are not grouped.
  const grouped = !/(^|_)id$/i.test(name);
  const decimals = numeric ? sharedDecimals(values) : null;
  return {
    side: numeric ? 'right' : 'left',
    cells: [
      visibleLine(name),
      ...values.map((value) => (isNumber(value) ? renderNumber(value, decimals, grouped) : renderCell(value))),
    ],
  };
}

/** Reduces the widths until all columns fit. The widest column is always reduced first. */
function fitWidths(widths: readonly number[], available: number): number[] {
  const fitted = [...widths];
  const room = available - GAP.length * Math.max(0, widths.length - 1);
  let total = fitted.reduce((sum, one) => sum + one, 0);
  while (total > room) {
    const widest = fitted.indexOf(Math.max(...fitted));
    if ((fitted[widest] ?? 0) <= MIN_CELL) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
    total--;
  }
  return fitted;
}

/** Formats one value for people. NULL becomes empty, lists are joined, control characters are escaped. */
export function renderCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (isNumber(value)) return renderNumber(value, null, true);
  if (Array.isArray(value)) return value.map((item) => renderCell(item)).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // The text may come from the API. Escape everything that a terminal could execute.
  return visibleLine(text);
}

function renderNumber(value: number | bigint, decimals: number | null, grouped: boolean): string {
  // Group digits only from 10,000 on, because years must have no comma.
  const useGrouping = grouped && (value >= 10_000 || value <= -10_000);
  if (typeof value === 'bigint') return formatNumber(value, { useGrouping });
  const places =
    decimals === null
      ? { maximumFractionDigits: 15 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return formatNumber(rounded(value), { useGrouping, ...places });
}

/**
 * Returns the number of decimal places for a column. It shows every number in full and aligns the decimal points. Null
 * if more than 4 places are needed.
 */
function sharedDecimals(values: readonly unknown[]): number | null {
  let most = 0;
  for (const value of values) {
    if (typeof value === 'number') most = Math.max(most, /\.(\d+)$/.exec(String(rounded(value)))?.[1]?.length ?? 0);
  }
  return most <= MAX_DECIMALS ? most : null;
}

// Rounds to 12 digits, because later digits are errors of floating-point arithmetic.
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(12));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
