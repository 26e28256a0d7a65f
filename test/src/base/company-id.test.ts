import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalId, faultOf, isUsable, keysOf, readItems } from '../../../src/base/company-id.js';
import { readJsonNodes } from '../../../src/base/json/json-nodes.js';
import { buildModels } from '../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../src/warehouse/load/load.js';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/duckdb/open.js';
import { land, openTestWarehouse, temporaryDataDir } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

const keysIn = (items: string): string[] => keysOf(readItems(`{"data":[${items}]}`));
const idOf = (id: string): string | undefined => keysIn(`{"id":${id}}`)[0];

describe('company ids', () => {
  it.each(['7', '"7"', '"0007"', '7.0', '7e0', '0.7e1', '" 7\\t"', '"\\u0037"'])('reads the id %s as 7', (text) => {
    expect(idOf(text)).toBe('7');
  });

  it('keeps every digit of long ids', () => {
    expect(idOf('9007199254740993')).toBe('9007199254740993');
    expect(idOf('9223372036854775807')).toBe('9223372036854775807');
    expect(idOf('-9223372036854775808')).toBe('-9223372036854775808');
    expect(idOf('-0')).toBe('0');
  });

  it.each([
    '"c-0001"',
    '9223372036854775808',
    '"99999999999999999999"',
    '1.5',
    '9007199254740993.0',
    '"7e0"',
    '"+7"',
    'true',
    '[7]',
    '{"id":7}',
    '1e400',
  ])('rejects the id %s', (text) => {
    const key = idOf(text) ?? '';
    expect(isUsable(key)).toBe(false);
    expect(faultOf(key)).toEqual({ fault: 'unusable_id', example: text });
  });

  it('distinguishes missing ids and duplicate keys from unusable ids', () => {
    const faults = keysIn('{"name":"x"},{"id":null},{"id":" "},null,{"id":7,"id":7}').map((key) => faultOf(key).fault);
    expect(faults).toEqual(['no_id', 'no_id', 'no_id', 'no_id', 'duplicate_key']);
  });

  it('counts an unusable id once, and each item without an id', () => {
    const pages = [keysIn('{"id":"a"},{"id":"b"},null,null'), keysIn('{"id":"b"},{"id":"c"},null')];
    expect(new Set(pages.flat()).size).toBe(5);
  });

  it('quotes an item that has no id', () => {
    const [key = ''] = keysIn('{"name":"a"}');
    expect(faultOf(key)).toEqual({ fault: 'no_id', example: '{"name":"a"}' });
    const [blank = ''] = keysIn('{"id":" "}');
    expect(faultOf(blank)).toEqual({ fault: 'no_id', example: '{"id":" "}' });
  });

  it('reads no id from __proto__', () => {
    expect(faultOf(keysIn('{"__proto__":{"id":7}}')[0] ?? '').fault).toBe('no_id');
    expect(readItems('{"__proto__":{"data":[{"id":7}]}}')).toEqual([]);
  });

  it('accepts only digits as a text id', () => {
    expect(canonicalId('0042')).toBe('42');
    for (const text of ['', ' ', '4 2', '４２', '4.0', '0x10', '1_000', '--1']) expect(canonicalId(text)).toBeNull();
  });
});

describe('readJsonNodes', () => {
  it.each([
    ['true', 'boolean'],
    ['false', 'boolean'],
    ['null', 'null'],
    ['-1.5e3', 'number'],
    ['"true"', 'string'],
    ['[1]', 'array'],
    ['{}', 'object'],
  ])('reads %s as %s', (text, kind) => {
    expect(readJsonNodes(text)).toMatchObject({ kind, text });
  });

  it('reads any JSON as JSON.parse does, without rounding', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const written = JSON.stringify(JSON.parse(text), null, space);
        const node = readJsonNodes(` ${written}\n`);
        expect(node.text).toBe(written);
        expect(JSON.parse(node.text)).toEqual(JSON.parse(written));
      }),
    );
    expect(() => readJsonNodes('{"a":1,}')).toThrow(SyntaxError);
  });
});

// Ids as an API might write them, and many invalid ones.
const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 24 }).map((some) => some.join(''));
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits.map((some) => some.replace(/^0+(?=.)/, '')),
    fc.option(digits),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(20))),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === null ? '' : `.${fraction}`, exponent === null ? '' : exponent.join('')].join(''),
  );
const text = fc
  .oneof(
    number,
    fc
      .tuple(fc.constantFrom('', ' ', '\t', '\u00a0'), fc.constantFrom('', '+', '-'), digits)
      .map((some) => some.join('')),
    fc.string({ maxLength: 6 }),
    fc.constantFrom('c-0001', '', 'null', '７'),
  )
  .map((some) => JSON.stringify(some));
const near = fc
  .tuple(
    fc.constantFrom(2n ** 53n, 2n ** 63n, -(2n ** 63n), 2n ** 64n),
    fc.bigInt(-3n, 3n),
    fc.constantFrom('', '.0', 'e0'),
  )
  .map(([limit, off, end]) => `${limit + off}${end}`);
const value = fc.oneof(number, text, near, fc.constantFrom('null', 'true', '[]', '[7]', '{}', '{"id":7}'));
const item = fc.oneof(
  { weight: 8, arbitrary: value.map((id) => `{"id":${id},"name":"x"}`) },
  { weight: 1, arbitrary: fc.tuple(value, value).map(([a, b]) => `{"id":${a},"id":${b}}`) },
  { weight: 1, arbitrary: fc.constantFrom('null', '7', '"7"', '[]', '{}', '{"\\u0069d":7}', '{"ID":7}') },
);

describe('ids in planner and warehouse', () => {
  let folder: string;
  let warehouse: Warehouse;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidemark-ids-'));
    warehouse = await openWarehouse(new Data(folder));
  });
  afterAll(async () => {
    await warehouse?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads the same id in planner and warehouse', { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 40 }), async (items) => {
      const rows = await warehouse.db.rows<{ id: string | null; fault: string | null }>(
        `WITH items AS (SELECT unnest(json_items(CAST($page AS JSON))) AS item, generate_subscripts(json_items(CAST($page AS JSON)), 1) AS i)
         SELECT CASE WHEN NOT json_repeats(item) THEN CAST(json_id(json_extract(item, '$.id')) AS VARCHAR) END AS id,
           CASE WHEN json_repeats(item) THEN 'duplicate_key' ELSE json_id_fault(json_extract(item, '$.id')) END AS fault
         FROM items ORDER BY i`,
        { page: `[${items.join(',')}]` },
      );
      const told = rows.map(({ id, fault }) => id ?? fault);
      expect(keysIn(items.join(',')).map((key) => (isUsable(key) ? key : faultOf(key).fault))).toEqual(told);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('counts the same companies of a page in planner and warehouse', async () => {
    const dataDir = temporaryDataDir();
    const page =
      '{"total_companies":6,"total_pages":1,"data":[{"id":7},{"id":"0007"},{"id":9007199254740993},{"id":9007199254740992},{"id":"c-1"},{}]}';
    await land(dataDir, [
      {
        stream: 'prospecting',
        run: 'r',
        date: '2026-11-20',
        market: 'm',
        at: '2026-11-20T02:00:00Z',
        request: 'p',
        body: page,
      },
    ]);
    const own = await openTestWarehouse(dataDir);
    await loadLanding(own, new Data(dataDir));
    await buildModels(own);
    const held = await own.db.rows('SELECT company_id FROM ledger.market_sightings ORDER BY 1');
    expect(held.map((row) => row['company_id'])).toEqual(['7', '9007199254740992', '9007199254740993']);
    expect(new Set(keysOf(readItems(page)).filter(isUsable))).toEqual(new Set(held.map((row) => row['company_id'])));
    expect(await own.db.rows('SELECT reason, path FROM ops.rejects ORDER BY path')).toEqual([
      { reason: 'unusable_id', path: '$.data[4]' },
      { reason: 'no_id', path: '$.data[5]' },
    ]);
  });
});
