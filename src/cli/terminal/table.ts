import { visibleLine } from '../../base/text/visible-text.js';
import { cut, displayWidth, pad } from '../../base/text/display-width.js';
import { formatNumber } from '../../../schemas/format.js';
import { wrapWords } from '../../base/text/wrap.js';

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
   * Columns of the terminal. Cells are cut further to fit, but never below 12 columns. If the table is still too wide,
   * each row becomes a block with one line for each value.
   * @default unlimited
   */
  width?: number;
  /** Names of columns with sentences. Their cells continue on the next line and are never cut. @default none */
  wrap?: readonly string[];
}

/** Renders rows as a text table: numbers right-aligned, one rule under the header, long cells cut or wrapped. */
export function renderTable(
  { columns, rows }: TableData,
  { maxCell = MAX_CELL, width = Infinity, wrap = [] }: TableOptions = {},
): string {
  const shown = columns.map((name, i) =>
    renderColumn(
      name,
      rows.map((row) => row[i]),
    ),
  );
  const wraps = (column: number): boolean => wrap.includes(columns[column] ?? '');
  const limit = (column: number): number => (wraps(column) ? Infinity : maxCell);
  const widths = fitWidths(
    shown.map(({ cells }, i) => Math.min(limit(i), Math.max(...cells.map(displayWidth)))),
    width,
  );
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP.length * Math.max(0, columns.length - 1);
  if (total > width && rows.length > 0) return renderBlocks(shown, rows.length, width);
  const lines = (row: number): string[] => {
    const parts = shown.map(({ cells }, i) =>
      wraps(i) ? wrapWords(cells[row] ?? '', widths[i] ?? 0) : [cut(cells[row] ?? '', widths[i] ?? 0)],
    );
    const height = Math.max(1, ...parts.map((part) => part.length));
    return Array.from({ length: height }, (_, at) =>
      shown
        .map(({ side }, i) => pad(parts[i]?.[at] ?? '', widths[i] ?? 0, side))
        .join(GAP)
        .trimEnd(),
    );
  };
  return [...lines(0), '─'.repeat(total), ...rows.flatMap((_, row) => lines(row + 1))].join('\n');
}

/** Renders each row as a block, because the columns do not fit side by side: one line for each value that is not empty. */
function renderBlocks(shown: readonly Column[], rows: number, width: number): string {
  const names = Math.max(...shown.map(({ cells }) => displayWidth(cells[0] ?? '')));
  const room = Math.max(MIN_CELL, width - names - GAP.length);
  const blocks = Array.from({ length: rows }, (_, row) => {
    const title = `── ${row + 1} `;
    const values = shown
      .filter(({ cells }) => cells[row + 1] !== '')
      .flatMap(({ cells }) =>
        wrapWords(cells[row + 1] ?? '', room).map(
          (part, at) => pad(at === 0 ? (cells[0] ?? '') : '', names, 'left') + GAP + part,
        ),
      );
    return [title.padEnd(Math.min(width, names + GAP.length + MIN_CELL), '─'), ...values].join('\n');
  });
  return blocks.join('\n');
}

/** Header and cells of one column as text. */
interface Column {
  cells: string[];
  side: 'left' | 'right';
}

/** Formats the header and cells of one column as text. */
function renderColumn(name: string, values: readonly unknown[]): Column {
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
