import { describe, expect, it } from 'vitest';
import { compareShapes, sameColumns, type Shape } from '../../../../src/warehouse/models/compare-shapes.js';

const shape = (more: Partial<Shape> = {}): Shape => ({
  columns: new Map([
    ['id', 'BIGINT'],
    ['name', 'VARCHAR'],
  ]),
  key: ['id'],
  nullable: [],
  grain: 'company',
  ...more,
});
const columns = (...some: [string, string][]) => new Map(some);

/** Number of breaking and non-breaking changes, and their texts. */
function effects(before: Partial<Shape>, after: Partial<Shape>) {
  const { breaking, nonBreaking } = compareShapes(shape(before), shape(after));
  return { breaking: breaking.length, nonBreaking: nonBreaking.length, words: [...breaking, ...nonBreaking].join() };
}

describe('compareShapes', () => {
  it('finds no difference between equal shapes or reordered keys', () => {
    expect(compareShapes(shape(), shape())).toEqual({ breaking: [], nonBreaking: [] });
    expect(effects({ key: ['id', 'name'] }, { key: ['name', 'id'] })).toMatchObject({ breaking: 0, nonBreaking: 0 });
  });

  it('treats a removed column or changed type as breaking', () => {
    const gone = effects({}, { columns: columns(['id', 'BIGINT']) });
    expect(gone).toMatchObject({ breaking: 1, nonBreaking: 0, words: expect.stringContaining('name') as string });
    const other = effects({}, { columns: columns(['id', 'BIGINT'], ['name', 'DATE']) });
    expect(other).toMatchObject({ breaking: 1, nonBreaking: 0, words: expect.stringContaining('DATE') as string });
  });

  it('treats a new column as non-breaking', () => {
    const added = effects({}, { columns: columns(['id', 'BIGINT'], ['name', 'VARCHAR'], ['city', 'VARCHAR']) });
    expect(added).toMatchObject({ breaking: 0, nonBreaking: 1, words: expect.stringContaining('city') as string });
  });

  it('treats another key as breaking if the earlier key is known', () => {
    expect(effects({}, { key: ['id', 'name'] })).toMatchObject({ breaking: 1 });
    expect(effects({}, { key: null })).toMatchObject({ breaking: 1 });
    expect(effects({ key: null }, {})).toMatchObject({ breaking: 0 });
  });

  it('treats a newly nullable key as breaking', () => {
    expect(effects({}, { nullable: ['id'] })).toMatchObject({ breaking: 1 });
    expect(effects({ nullable: ['id'] }, { nullable: ['id'] })).toMatchObject({ breaking: 0 });
    expect(effects({ nullable: ['id'] }, {})).toMatchObject({ breaking: 0 });
    expect(effects({}, { nullable: ['name'] })).toMatchObject({ breaking: 0 });
    expect(effects({ key: null }, { nullable: ['id'] })).toMatchObject({ breaking: 0 });
  });

  it('treats another grain as breaking if the earlier one is known', () => {
    expect(effects({}, { grain: 'company and year' })).toMatchObject({ breaking: 1 });
    expect(effects({ grain: null }, {})).toMatchObject({ breaking: 0 });
  });
});

it('compares columns in order', () => {
  const id: [string, string] = ['id', 'BIGINT'];
  const name: [string, string] = ['name', 'VARCHAR'];
  expect(sameColumns(columns(id, name), columns(id, name))).toBe(true);
  expect(sameColumns(columns(id, name), columns(name, id))).toBe(false);
});
