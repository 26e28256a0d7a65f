import { DuckDBInstance } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DuckDBConnection } from '@duckdb/node-api';
import { listQuery, literal, unusable, type ListFilter } from '../../../../ui/src/lib/list-query.js';

const NONE: ListFilter = {
  market: '',
  country: '',
  industry: '',
  legal_form: '',
  status: '',
  size: '',
  employees_from: '',
  employees_to: '',
  growth: '',
  moved: '',
  date: '',
};

const BY_NAME = { id: 'name', desc: false };

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

it('limits the list to companies in a market unless a filter says otherwise', () => {
  expect(listQuery(NONE, BY_NAME)).toContain('WHERE in_market\n');
  expect(listQuery({ ...NONE, moved: 'left', date: '2026-11-21' }, BY_NAME)).not.toContain('in_market\n');
  expect(listQuery({ ...NONE, size: '10-49' }, BY_NAME)).toContain(
    'coalesce(employees, employees_min) >= 10 AND coalesce(employees, employees_min) < 50',
  );
  expect(listQuery({ ...NONE, industry: '(none)' }, BY_NAME)).toContain('industry IS NULL');
  expect(listQuery({ ...NONE, employees_from: '50' }, BY_NAME)).toContain('coalesce(employees, employees_min) >= 50');
  expect(listQuery({ ...NONE, employees_to: '5; DROP' }, BY_NAME)).not.toContain('DROP');
  expect(listQuery({ ...NONE, size: 'constructor' }, BY_NAME)).not.toContain('constructor');
});

it.each<[Partial<ListFilter>, string[]]>([
  [{}, []],
  [{ employees_from: '0', employees_to: '250', size: '(none)', growth: 'above 50%' }, []],
  [{ moved: 'left', date: '2026-11-21' }, []],
  [{ employees_from: '-5', employees_to: '1.5' }, ['employees_from', 'employees_to']],
  [{ size: 'constructor', growth: 'much' }, ['size', 'growth']],
  [{ moved: 'fled', date: '2026-11-21' }, ['moved', 'date']],
  [{ moved: 'left', date: '2026-02-30' }, ['date']],
  [{ date: '2026-11-21' }, ['date']],
])('names the filters of %j that cannot be used', (filter, keys) => {
  expect(Object.keys(unusable({ ...NONE, ...filter }))).toEqual(keys);
});

it('sorts by a column of the page, with missing values last', () => {
  expect(listQuery(NONE, { id: 'growth', desc: true })).toContain('ORDER BY turnover_growth DESC NULLS LAST');
  expect(listQuery(NONE, BY_NAME)).toContain('ORDER BY name ASC NULLS LAST');
});

it('keeps any text of a filter a text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      fc.pre(!text.includes('\0'));
      const result = await connection.runAndReadAll(`SELECT ${literal(text)}`);
      expect(result.getRows()).toEqual([[text]]);
    }),
    { numRuns: 200 },
  );
});

it('makes one statement of any filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record(Object.fromEntries(Object.keys(NONE).map((key) => [key, fc.string()]))),
      fc.string(),
      async (filter, sort) => {
        fc.pre(!Object.values(filter).some((text) => text.includes('\0')));
        const statements = await connection.extractStatements(
          listQuery(filter as unknown as ListFilter, { id: sort, desc: true }),
        );
        expect(statements.count).toBe(1);
      },
    ),
    { numRuns: 200 },
  );
});
