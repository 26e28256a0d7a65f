import { describe, expect, test } from 'vitest';
import { compareRows, sameRowsReordered } from '../../../../../src/warehouse/models/cases/compare-rows.js';

describe('compareRows', () => {
  test('finds equal rows in any column order', () => {
    expect(compareRows([{ a: 1, b: { x: [1], y: null } }], [{ b: { y: null, x: [1] }, a: 1 }])).toEqual([]);
  });

  test('distinguishes numbers from text and NULL from a missing column', () => {
    expect(compareRows([{ a: 1, b: null }], [{ a: '1' }])).toEqual([
      {
        kind: 'changed',
        row: 1,
        expected: { a: 1, b: null },
        columns: { a: { expected: 1, actual: '1' }, b: { expected: null, actual: undefined } },
      },
    ]);
  });

  test('matches rows after missing and unexpected ones', () => {
    const rows = (...ids: number[]) => ids.map((id) => ({ id }));
    expect(compareRows(rows(1, 2, 3), rows(2, 3))).toEqual([{ kind: 'missing', row: 1, expected: { id: 1 } }]);
    expect(compareRows(rows(2, 3), rows(1, 2, 3))).toEqual([{ kind: 'surplus', row: 1, actual: { id: 1 } }]);
    expect(compareRows(rows(1, 2, 9, 10), rows(1, 5, 9))).toEqual([
      { kind: 'changed', row: 2, expected: { id: 2 }, columns: { id: { expected: 2, actual: 5 } } },
      { kind: 'missing', row: 4, expected: { id: 10 } },
    ]);
  });

  test('recognizes the same rows in another order', () => {
    expect(sameRowsReordered([{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }])).toBe(true);
    expect(sameRowsReordered([{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }])).toBe(false);
  });
});
