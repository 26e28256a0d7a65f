import { diffArrays } from 'diff';
import { canonicalJson } from '../../../base/json/canonical-json.js';

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
  let [expectedRow, actualRow] = [0, 0];
  // Removed rows that have no partner yet. In a block of differences, they come before the added rows.
  let removed: { row: number; expected: Row }[] = [];
  const flush = (): void => {
    differences.push(...removed.map((one) => ({ kind: 'missing' as const, ...one })));
    removed = [];
  };
  for (const block of diffArrays(expected.map(canonical), actual.map(canonical))) {
    const before = block.added ? [] : expected.slice(expectedRow, expectedRow + block.count);
    const after = block.removed ? [] : actual.slice(actualRow, actualRow + block.count);
    if (block.removed) removed.push(...before.map((row, i) => ({ row: expectedRow + i + 1, expected: row })));
    if (block.added)
      for (const [i, row] of after.entries()) {
        const partner = removed.shift();
        if (partner === undefined) differences.push({ kind: 'surplus', row: actualRow + i + 1, actual: row });
        else differences.push({ kind: 'changed', ...partner, columns: changedColumns(partner.expected, row) });
      }
    if (!block.removed) flush();
    expectedRow += before.length;
    actualRow += after.length;
  }
  flush();
  return differences;
}

/** Returns whether both lists have the same rows. The order makes no difference. */
export function sameRowsReordered(expected: readonly Row[], actual: readonly Row[]): boolean {
  return compareRows(sortRows(expected), sortRows(actual)).length === 0;
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
