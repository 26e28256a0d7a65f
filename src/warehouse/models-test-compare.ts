import { isDeepStrictEqual } from 'node:util';
import { diffSequences } from '../core/diff.js';

export type Row = Record<string, unknown>;

/** One difference between the rows expected and those that came. Rows count from 1, among the rows expected or else come. */
export type RowDifference =
  | { kind: 'changed'; row: number; expected: Row; columns: Record<string, { expected: unknown; actual: unknown }> }
  | { kind: 'missing'; row: number; expected: Row }
  | { kind: 'surplus'; row: number; actual: Row };

/**
 * How the rows of a query differ from those expected, in order; none when they are equal. Rows that changed in place are
 * told column by column, so that one wrong value in a wide row is not looked for.
 */
export function compareRows(expected: readonly Row[], actual: readonly Row[]): RowDifference[] {
  const differences: RowDifference[] = [];
  let removed: { row: number; expected: Row }[] = [];
  let expectedRow = 0;
  let actualRow = 0;
  const flush = () => {
    differences.push(...removed.map(({ row, expected: lost }) => ({ kind: 'missing' as const, row, expected: lost })));
    removed = [];
  };
  // Within a block the rows that went come before those that came: the first of each belong together.
  for (const entry of diffSequences(expected, actual, canonical)) {
    if (entry.kind === 'same') {
      flush();
      expectedRow++;
      actualRow++;
    } else if (entry.kind === 'removed') {
      removed.push({ row: ++expectedRow, expected: entry.before });
    } else {
      actualRow++;
      const partner = removed.shift();
      if (partner === undefined) differences.push({ kind: 'surplus', row: actualRow, actual: entry.after });
      else differences.push({ kind: 'changed', ...partner, columns: changedColumns(partner.expected, entry.after) });
    }
  }
  flush();
  return differences;
}

/** Whether both have the same rows, in another order. */
export function sameRowsReordered(expected: readonly Row[], actual: readonly Row[]): boolean {
  return isDeepStrictEqual(expected.map(canonical).toSorted(), actual.map(canonical).toSorted());
}

/** In an order that depends on nothing but the rows. */
export function sortRows(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, text: canonical(row) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ row }) => row);
}

function changedColumns(expected: Row, actual: Row): Record<string, { expected: unknown; actual: unknown }> {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return Object.fromEntries(
    names
      .filter((name) => canonical(expected[name]) !== canonical(actual[name]))
      .map((name) => [name, { expected: expected[name], actual: actual[name] }]),
  );
}

/** JSON with sorted keys: the order of a row's columns is no difference, a column that is not there is one. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`).join(',')}}`;
}
