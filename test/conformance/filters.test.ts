import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { holds as matches } from '../sandbox/brute-force.js';
import { companyHolds, employeeHolds, executiveHolds, tenderHolds } from './brute-force.js';
import { expectRefusal } from './error-shapes.js';
import { filterValues, marketOf, recordsOf, type Entry } from './filter-values.js';
import { FILTERS, routeNamed, type FilterTable } from './reference.js';
import { startConformance, type Conformance, type Given } from './sandbox-calls.js';
import { wrongOf } from './types.js';

type TableName = keyof ReturnType<typeof filterValues>;

/** Every filter key with its table. Executives have their own filters and those of companies. */
const rows = Object.entries(FILTERS as Record<string, FilterTable & { extends?: string }>).flatMap(([name, table]) => {
  const keys = { ...(table.extends && FILTERS[table.extends]?.keys), ...table.keys };
  return Object.entries(keys).map(([key, type]) => [name as TableName, key, type, table.range] as const);
});

let api: Conformance;
let market: Entry[];
let records: ReturnType<typeof recordsOf>;
let values: ReturnType<typeof filterValues>;
beforeAll(async () => {
  api = await startConformance();
  market = marketOf(api);
  records = recordsOf(api, market);
  values = filterValues(api, market);
});
afterAll(() => api.app.close());

interface Range {
  gte?: number;
  lte?: number;
}
const isWithin = (value: number | null, { gte = -Infinity, lte = Infinity }: Range): boolean =>
  value !== null && value >= gte && value <= lte;

const EVERYTHING = { page: 1, per_page: 10_000 };

/** What a search finds: numeric ids of companies or people, or slugs of tenders. */
async function find(table: TableName, filters: Given): Promise<(number | string)[]> {
  const given = { ...EVERYTHING, filters: table === 'tenders' ? { must: filters } : filters };
  const { body } = await api.ask(FILTERS[table].route, given);
  const { data } = body as { data: { id?: number | string; slug?: string }[] };
  return data.map(({ id, slug }) => slug ?? Number(id));
}

/** What a search must find, by the tests' own implementation of each filter. */
function truth(table: TableName, filters: Given): (number | string)[] {
  const { companies, people, tenders } = records;
  switch (table) {
    case 'prospecting': {
      const { yoy_staff, pronet, ...others } = filters as { yoy_staff?: Range; pronet?: string };
      return market
        .filter(
          ({ id, profile, yoyStaff }) =>
            matches(profile, others) &&
            (yoy_staff === undefined || isWithin(yoyStaff, yoy_staff)) &&
            (pronet === undefined || id === api.id),
        )
        .map(({ id }) => id);
    }
    case 'employees':
      return people.filter((person) => employeeHolds(person, filters)).map(({ id }) => id);
    case 'v1 companies':
      return [...companies].filter(([, company]) => companyHolds(company, filters)).map(([id]) => id);
    case 'v1 executives':
      return people
        .filter((person) => executiveHolds(person, companies.get(person.companyId)!, filters))
        .map(({ id }) => id);
    case 'tenders':
      return tenders.filter((tender) => tenderHolds(tender, filters)).map(({ slug }) => slug);
  }
}

describe('filters of the reference', () => {
  it.each(rows)('finds exactly the matching records in %s by %s', async (table, key) => {
    const filters = { [key]: (values[table] as Given)[key] };
    const found = await find(table, filters);
    expect(found).toEqual(truth(table, filters));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan((await find(table, {})).length);
  });
});

describe('filters of a wrong type', () => {
  it.each(rows)('rejects a filter of a wrong type in %s: %s', async (table, key, type) => {
    const route = routeNamed(FILTERS[table].route);
    const filters = { [key]: wrongOf(/range/.test(type) ? 'object' : type) };
    const given = { page: 1, per_page: 1, filters: table === 'tenders' ? { must: filters } : filters };
    expectRefusal(await api.ask(FILTERS[table].route, given), route, key);
  });
});

describe('range filters', () => {
  it.each(rows.filter(([, , type]) => /range/.test(type)))(
    'accepts either bound alone and rejects misnamed ones in %s: %s',
    async (table, key, _type, range) => {
      const [lower, upper] = range ?? ['from', 'to'];
      const middle = ((values[table] as Given)[key] as Given)[lower];
      const above = await find(table, { [key]: { [lower]: middle } });
      const below = await find(table, { [key]: { [upper]: middle } });
      expect(above).toEqual(truth(table, { [key]: { [lower]: middle } }));
      expect(below).toEqual(truth(table, { [key]: { [upper]: middle } }));
      expect(new Set([...above, ...below]).size).toBeGreaterThan(Math.max(above.length, below.length));
      const misnamed = { [lower === 'gte' ? 'from' : 'gte']: middle };
      const filters = { [key]: misnamed };
      const given = { page: 1, per_page: 1, filters: table === 'tenders' ? { must: filters } : filters };
      expectRefusal(await api.ask(FILTERS[table].route, given), routeNamed(FILTERS[table].route), key);
    },
  );
});

describe('the currency of financial_turnover', () => {
  const { currencies, default: usual } = FILTERS.prospecting.financial_turnover;
  it('filters turnover by currency, with the documented default', async () => {
    const { gte } = values.prospecting.financial_turnover as Range;
    const counts = new Map<string, number>();
    for (const currency of currencies) {
      const found = await find('prospecting', { financial_turnover: { gte, currency } });
      expect(found).toEqual(truth('prospecting', { financial_turnover: { gte, currency } }));
      counts.set(currency, found.length);
    }
    expect(new Set(counts.values()).size).toBe(currencies.length);
    expect(counts.get(usual)).toBe((await find('prospecting', { financial_turnover: { gte } })).length);
    const other = { page: 1, filters: { financial_turnover: { gte, currency: 'DKK' } } };
    expectRefusal(
      await api.ask('POST /v2/prospecting', other),
      routeNamed('POST /v2/prospecting'),
      'financial_turnover',
    );
  });
});

describe('company size in the executive search', () => {
  it("accepts executives' company size as a pair, as in the sample", async () => {
    expect(FILTERS['v1 executives'].sample.size).toBe('array of integer');
    const range = await find('v1 executives', { size: { from: 5, to: 40 } });
    expect(await find('v1 executives', { size: [5, 40] })).toEqual(range);
    expect(range.length).toBeGreaterThan(0);
  });
});
