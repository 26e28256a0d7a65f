import { describe, expect, it } from 'vitest';
import { compareShapes, sameColumns, type Shape } from '../../../src/models/compare-shapes.js';

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

/** How many changes break readers, how many do not, and what they name. */
function effects(before: Partial<Shape>, after: Partial<Shape>) {
  const { breaking, nonBreaking } = compareShapes(shape(before), shape(after));
  return { breaking: breaking.length, nonBreaking: nonBreaking.length, words: [...breaking, ...nonBreaking].join() };
}

describe('two shapes of a table', () => {
  it('differ in nothing when equal, or when the key has another order', () => {
    expect(compareShapes(shape(), shape())).toEqual({ breaking: [], nonBreaking: [] });
    expect(effects({ key: ['id', 'name'] }, { key: ['name', 'id'] })).toMatchObject({ breaking: 0, nonBreaking: 0 });
  });

  it('break readers by a column that is gone or has another type', () => {
    const gone = effects({}, { columns: columns(['id', 'BIGINT']) });
    expect(gone).toMatchObject({ breaking: 1, nonBreaking: 0, words: expect.stringContaining('name') as string });
    const other = effects({}, { columns: columns(['id', 'BIGINT'], ['name', 'DATE']) });
    expect(other).toMatchObject({ breaking: 1, nonBreaking: 0, words: expect.stringContaining('DATE') as string });
  });

  it('do not break readers by a new column', () => {
    const added = effects({}, { columns: columns(['id', 'BIGINT'], ['name', 'VARCHAR'], ['city', 'VARCHAR']) });
    expect(added).toMatchObject({ breaking: 0, nonBreaking: 1, words: expect.stringContaining('city') as string });
  });

  it('break readers by another key, if the earlier one is known', () => {
    expect(effects({}, { key: ['id', 'name'] })).toMatchObject({ breaking: 1 });
    expect(effects({}, { key: null })).toMatchObject({ breaking: 1 });
    expect(effects({ key: null }, {})).toMatchObject({ breaking: 0 });
  });

  it('break readers by NULL in a key that had none', () => {
    expect(effects({}, { nullable: ['id'] })).toMatchObject({ breaking: 1 });
    expect(effects({ nullable: ['id'] }, { nullable: ['id'] })).toMatchObject({ breaking: 0 });
    expect(effects({ nullable: ['id'] }, {})).toMatchObject({ breaking: 0 });
    expect(effects({}, { nullable: ['name'] })).toMatchObject({ breaking: 0 });
    expect(effects({ key: null }, { nullable: ['id'] })).toMatchObject({ breaking: 0 });
  });

  it('break readers by another grain, if the earlier one is known', () => {
    expect(effects({}, { grain: 'company and year' })).toMatchObject({ breaking: 1 });
    expect(effects({ grain: null }, {})).toMatchObject({ breaking: 0 });
  });
});

it('compares columns in their order', () => {
  const id: [string, string] = ['id', 'BIGINT'];
  const name: [string, string] = ['name', 'VARCHAR'];
  expect(sameColumns(columns(id, name), columns(id, name))).toBe(true);
  expect(sameColumns(columns(id, name), columns(name, id))).toBe(false);
});
