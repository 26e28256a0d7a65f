import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOUNDS, findExcess, firstBeyond } from '../../../../src/base/json/json-bounds.js';

const isDeeperThan = (depth: number, text: string): boolean => firstBeyond({ ...BOUNDS, depth }, text) === 'too_deep';

describe('the depth of a body', () => {
  it.each([
    ['1', 0],
    ['"[[[["', 0],
    ['[]', 1],
    ['{}', 1],
    ['[[],[],[[]]]', 3],
    ['{"a":{"b":[1,{"c":2}]}}', 4],
    ['[{"a":"}]{["},[1]]', 2],
    [String.raw`["\"[[[", "\\", [[]]]`, 3],
    [String.raw`["\\\"[[[[", 1]`, 1],
    ['["never ends [[[[', 1],
  ])('finds the depth of %s to be %i', (text, depth) => {
    expect(isDeeperThan(depth, text)).toBe(false);
    if (depth > 0) expect(isDeeperThan(depth - 1, text)).toBe(true);
  });

  it('does not count adjacent values as depth', () => {
    expect(isDeeperThan(2, `[${'[],{},'.repeat(100)}[]]`)).toBe(false);
    expect(isDeeperThan(1, `[${'[],{},'.repeat(100)}[]]`)).toBe(true);
  });

  it('counts arrays and objects together', () => {
    expect(isDeeperThan(100, `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`)).toBe(false);
    expect(isDeeperThan(99, `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`)).toBe(true);
  });
});

const items = (n: number, item: string): string => Array.from({ length: n }, () => item).join(',');

describe('findExcess', () => {
  it.each([
    [
      'a report of 60 years with 500 indicators',
      `{${items(60, `"2020":{${items(500, '"Turnover":1234567.5')}}`)}}`,
      null,
    ],
    ['as many items as allowed', `[${items(BOUNDS.items, '0')}]`, null],
    ['an item more', `[${items(BOUNDS.items + 1, '0')}]`, 'too_many_items'],
    ['as many keys as allowed', `{${items(BOUNDS.keys, '"a":0')}}`, null],
    ['a key more', `{${items(BOUNDS.keys + 1, '"a":0')}}`, 'too_many_keys'],
    ['many lists', `[${items(3, `[${items(90_000, '0')}]`)}]`, 'too_many_values'],
    ['many empty lists', `[${items(90_000, '[[[]]]')}]`, 'too_many_values'],
    ['as long a text as allowed', `["${'y'.repeat(BOUNDS.text)}"]`, null],
    ['a longer text', `["${'y'.repeat(BOUNDS.text + 1)}"]`, 'too_long_text'],
    ['a long text of escaped quotes', `["${String.raw`\"`.repeat(BOUNDS.text)}"]`, 'too_long_text'],
    ['a longer number', `[${'1'.repeat(BOUNDS.text + 1)}]`, 'too_long_text'],
    ['spaces', `[${' '.repeat(BOUNDS.text + 1)}1]`, null],
    ['commas and brackets in texts', `["${'[,{'.repeat(BOUNDS.items)}"]`, null],
    ['closing brackets first', `${']'.repeat(1_000)}${'['.repeat(101)}`, 'too_deep'],
    ['no JSON', 'x'.repeat(100_000), null],
    ['no text', '', null],
  ])('judges %s', (_, text, excess) => {
    expect(findExcess(text)).toBe(excess);
  });

  it('finds in any JSON value what counting its parsed value finds', () => {
    const bounds = { ...BOUNDS, depth: 3, values: 12, keys: 4, items: 5, text: 6 };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { depth, values, keys, items: most, text } = measure(value);
        const isWithin =
          depth <= bounds.depth &&
          values <= bounds.values &&
          keys <= bounds.keys &&
          most <= bounds.items &&
          text <= bounds.text;
        expect(firstBeyond(bounds, JSON.stringify(value)) === null).toBe(isWithin);
      }),
      { numRuns: 2_000 },
    );
  });
});

interface Measure {
  depth: number;
  values: number;
  keys: number;
  items: number;
  text: number;
}

/** Measures a parsed value. A container counts as one value, and so does each member or item after its first. */
function measure(value: unknown): Measure {
  if (typeof value !== 'object' || value === null)
    return { depth: 0, values: 0, keys: 0, items: 0, text: JSON.stringify(value).replaceAll(/^"|"$/g, '').length };
  const members = Object.values(value);
  const inner = members.map(measure);
  const most = (name: keyof Measure): number => Math.max(0, ...inner.map((each) => each[name]));
  const names = Array.isArray(value) ? [] : Object.keys(value).map((key) => JSON.stringify(key).length - 2);
  return {
    depth: 1 + most('depth'),
    values: Math.max(1, members.length) + inner.reduce((sum, each) => sum + each.values, 0),
    keys: Math.max(Array.isArray(value) ? 0 : members.length, most('keys')),
    items: Math.max(Array.isArray(value) ? members.length : 0, most('items')),
    text: Math.max(...names, most('text')),
  };
}
