import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import { diffSequences } from './diff.js';

/** Column name to value. */
export type Row = Record<string, unknown>;

/**
 * A difference between expected and actual rows. `row` is the row's position, from 1: among the actual rows for
 * `surplus`, else among the expected rows.
 */
export type RowDifference =
  | { kind: 'changed'; row: number; expected: Row; columns: Record<string, { expected: unknown; actual: unknown }> }
  | { kind: 'missing'; row: number; expected: Row }
  | { kind: 'surplus'; row: number; actual: Row };

/**
 * Compares the rows of a query with the expected rows, in order. Returns an empty list if they are equal. Reports a
 * changed row column by column, so that one wrong value is easy to find in a wide row.
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
  // Within a group of differences, the diff lists the removed rows before the added rows. Pair the first removed row
  // with the first added row, and so on.
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

/** Returns whether both lists have the same rows. The order makes no difference. */
export function sameRowsReordered(expected: readonly Row[], actual: readonly Row[]): boolean {
  return isDeepStrictEqual(expected.map(canonical).toSorted(), actual.map(canonical).toSorted());
}

/** Sorts rows by their content, so that equal rows come in the same order. */
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

/**
 * Writes a value as JSON with sorted keys, so that the order of columns makes no difference. A missing column is still
 * a difference.
 */
function canonical(value: unknown): string {
  return value === undefined ? 'undefined' : canonicalJson(value);
}
