import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE, type Columns } from '../../bench/planner/columns.js';
import { Market, type MarketQuirks } from '../../bench/planner/market.js';
import { distributionsOf, nextNight } from '../../bench/planner/night.js';
import { generateRegister, LEGAL_FORMS, STATUSES } from '../../bench/planner/register.js';
import { dayNumber } from '../../src/crawl/search/plan/days.js';
import type { PlanAnswer } from '../../src/crawl/search/plan/index.js';

const register = generateRegister({ companies: 3_000, seed: 5 });

/** All ids of a search over its pages, and the answer to its first page. */
function search(market: Market, filters: Record<string, unknown>, pages = 10): { first: PlanAnswer; ids: string[] } {
  const answers = Array.from({ length: pages }, (_, i) =>
    market.answer({ route: 'v2', key: '', segment: '', purpose: 'segment', filters, page: i + 1, per_page: 1_000 }),
  );
  return { first: answers[0]!, ids: answers.flatMap((answer) => ('ids' in answer ? answer.ids : [])) };
}

const total = (filters: Record<string, unknown>, quirks: MarketQuirks = {}): number | string => {
  const { first } = search(new Market(register, quirks), filters, 1);
  return 'total' in first ? first.total : 'refused' in first ? first.refused : -1;
};

/** Counts the rows that meet a test, one by one. */
function count(columns: Columns, test: (row: number) => boolean): number {
  return Array.from({ length: columns.companies }, (_, row) => row).filter(test).length;
}

const days = fc.tuple(fc.integer({ min: 1899, max: 2027 }), fc.integer({ min: 0, max: 6_000 })).map(([year, span]) => {
  const from = dayNumber(`${year}-03-01`)!;
  return { from, to: from + span };
});
const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

describe('a search in the simulated market', () => {
  it('finds exactly the companies that meet every filter, each on one page', () => {
    const market = new Market(register, { maxSize: 1_000 });
    const optional = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(some, { nil: undefined });
    fc.assert(
      fc.property(
        optional(days),
        optional(fc.subarray(STATUSES)),
        optional(fc.subarray(LEGAL_FORMS)),
        optional(fc.subarray([1, 2, 3])),
        optional(fc.tuple(fc.nat(50), fc.nat(5_000))),
        optional(fc.double({ min: 3_000, max: 1e7, noNaN: true })),
        optional(fc.subarray(['10000', '10001', '10007', '10030'])),
        (span, status, forms, activities, [low, wide] = [-1, 0], turnover, zips) => {
          const filters = {
            ...(span ? { company_incorporation: { gte: dayText(span.from), lte: dayText(span.to) } } : {}),
            ...(status ? { company_status: status } : {}),
            ...(forms ? { legal_form: forms } : {}),
            ...(activities ? { activity_type: activities } : {}),
            ...(low < 0 ? {} : { number_of_employees: { gte: low, lte: low + wide } }),
            ...(turnover === undefined ? {} : { financial_turnover: { gte: turnover } }),
            ...(zips ? { location_zip: zips } : {}),
          };
          const truth = Array.from({ length: register.companies }, (_, row) => row).filter((row) => {
            const [day, employees, sales] = [
              register.incorporated[row]!,
              register.employees[row]!,
              register.turnover[row]!,
            ];
            return (
              (!span || (day >= span.from && day <= span.to)) &&
              (!status || status.includes(register.status[row]!)) &&
              (!forms || forms.includes(register.legalForm[row]!)) &&
              (!activities || activities.some((a) => (register.activities[row]! >> a) & 1)) &&
              (low < 0 || (employees >= low && employees <= low + wide)) &&
              (turnover === undefined || (sales !== NONE && sales >= turnover)) &&
              (!zips || zips.includes(String(register.zip[row])))
            );
          });
          const { first, ids } = search(market, filters);
          expect(first).toMatchObject({ total: truth.length, totalPages: Math.ceil(truth.length / 1_000) });
          expect(ids.toSorted()).toEqual(truth.map((row) => String(register.id[row])).sort());
        },
      ),
      { numRuns: 200 },
    );
  });

  it('lists each company on the same page at every request', () => {
    const filters = { company_status: [199], legal_form: [2, 3] };
    const once = search(new Market(register), filters);
    expect(once.ids).toHaveLength(1_000);
    expect(search(new Market(register), filters)).toEqual(once);
  });
});

describe('API variants of the simulated market', () => {
  const year = { company_incorporation: { gte: '2010-01-01', lte: '2010-12-31' } };
  const inYear = count(register, (row) => dayText(Math.min(register.incorporated[row]!, 1e6)).startsWith('2010-'));
  const undated = count(register, (row) => register.incorporated[row] === NONE);

  it('excludes companies without a value from every range', () => {
    expect(total({ company_incorporation: { lte: '2030-01-01' } })).toBe(register.companies - undated);
    expect(total(year)).toBe(inYear);
  });

  it.each<[string, MarketQuirks, Record<string, unknown>, number | string]>([
    ['caps the total', { totalsCap: 1_000 }, {}, 1_000],
    ['ignores a filter', { ignored: ['company_incorporation'] }, year, 3_000],
    ['refuses a filter', { refused: ['company_incorporation'] }, year, 'company_incorporation: unknown filter'],
    ['lets null select companies without a value', { nullSelects: true }, { company_incorporation: null }, undated],
    ['lets [null] select companies without a value', { nullSelects: true }, { company_incorporation: [null] }, undated],
    ['refuses null', {}, { company_incorporation: null }, 'company_incorporation: null is not allowed'],
    [
      'refuses dates where it expects years',
      { dates: 'years' },
      year,
      'company_incorporation: a bound has the wrong kind',
    ],
    ['finds nothing by dates where it expects years', { dates: 'years', wrongBounds: 'empty' }, year, 0],
    ['accepts years', { dates: 'years' }, { company_incorporation: { gte: 2010, lte: 2010 } }, inYear],
    ['accepts years as text', { dates: 'year-texts' }, { company_incorporation: { gte: '2010', lte: '2010' } }, inYear],
    [
      'compares only the year of a date',
      { dates: 'years-in-dates' },
      { company_incorporation: { gte: '2010-06-01', lte: '2010-06-02' } },
      inYear,
    ],
    [
      'excludes the bounds of a date range',
      { exclusive: true },
      { company_incorporation: { gte: '2009-12-31', lte: '2011-01-01' } },
      inYear,
    ],
    [
      'excludes the bounds of a number range',
      { exclusive: true },
      { number_of_employees: { gte: 1, lte: 3 } },
      count(register, (row) => register.employees[row] === 2),
    ],
    [
      'uses only the first of several values',
      { firstValueOnly: true },
      { company_status: [200, 199] },
      count(register, (row) => register.status[row] === 200),
    ],
  ])('%s', (_, quirks, filters, expected) => {
    expect(expected).not.toBe(register.companies - undated);
    expect(total(filters, quirks)).toBe(expected);
  });

  it('lowers, refuses or replaces a large page size', () => {
    const rows = (quirks: MarketQuirks): number => search(new Market(register, quirks), {}, 1).ids.length;
    expect(rows({ maxSize: 50 })).toBe(50);
    expect(rows({ maxSize: 50, oversize: 'default', defaultSize: 20 })).toBe(20);
    const refusal = search(new Market(register, { maxSize: 50, oversize: 'refuse' }), {}, 1).first;
    expect(refusal).toEqual({ refused: 'per_page: must be at most 50' });
  });

  it('counts companies that it never lists', () => {
    const hidden = (id: number): boolean => id % 10 === 0;
    const { first, ids } = search(new Market(register, { hidden, maxSize: 1_000 }), {});
    expect(first).toMatchObject({ total: 3_000 });
    expect(ids).toHaveLength(count(register, (row) => !hidden(register.id[row]!)));
  });

  it('shows all pages through version 1 unless capped or refused', () => {
    const ask = (page: number, v1: NonNullable<MarketQuirks['v1']>, filters = {}): PlanAnswer =>
      new Market(register, { v1 }).answer({
        route: 'v1',
        key: '',
        segment: '',
        purpose: 'page',
        filters,
        page,
        per_page: 100,
      });
    expect(ask(30, 'uncapped')).toMatchObject({ pages: 30, ids: { length: 100 } });
    expect(ask(11, 'capped')).toEqual({ refused: 'page: not allowed' });
    expect(ask(1, 'refused')).toEqual({ refused: 'page: not allowed' });
    const few = { status: [201] };
    const pages = Math.ceil(count(register, (row) => register.status[row] === 201) / 100);
    expect(ask(1, 'uncapped', few)).toMatchObject({ pages });
    expect(ask(1, 'ignores filters', few)).toMatchObject({ pages: 30 });
  });
});

describe('the generated register', () => {
  const large = generateRegister({ companies: 40_000, seed: 10 });
  const share = (test: (row: number) => boolean): number => count(large, test) / large.companies;

  it('has the documented shares, and companies that lack several values at once', () => {
    expect(share((row) => large.status[row] === 199)).toBeCloseTo(0.86, 1);
    expect(share((row) => large.incorporated[row] === NONE)).toBeCloseTo(0.05, 2);
    expect(share((row) => large.employees[row] === NONE)).toBeCloseTo(0.4, 2);
    expect(share((row) => large.turnover[row] === NONE)).toBeCloseTo(0.57, 2);
    expect(share((row) => large.legalForm[row] === NONE)).toBeCloseTo(0.03, 2);
    const without = (column: 'employees' | 'legalForm', row: number): boolean => large[column][row] === NONE;
    const undated = share((row) => large.incorporated[row] === NONE);
    for (const column of ['employees', 'legalForm'] as const) {
      const both = share((row) => large.incorporated[row] === NONE && without(column, row));
      expect(both / undated).toBeGreaterThan(2 * share((row) => without(column, row)));
    }
  });

  it('generates one large day, quiet weekends and busy first days of months', () => {
    const counts = new Map<number, number>();
    for (const day of large.incorporated) if (day !== NONE) counts.set(day, (counts.get(day) ?? 0) + 1);
    const [[largest, most]] = [...counts].sort((a, b) => b[1] - a[1]) as [[number, number]];
    expect(dayText(largest)).toBe('2014-03-31');
    expect(most / large.companies).toBeCloseTo(0.03 * 0.95, 2);
    const mean = (test: (date: Date) => boolean): number => {
      const some = [...counts].filter(([day]) => day !== largest && test(new Date(day * 86_400_000)));
      return some.reduce((sum, [, companies]) => sum + companies, 0) / some.length;
    };
    expect(mean((date) => date.getUTCDay() % 6 === 0)).toBeLessThan(0.6 * mean((date) => date.getUTCDay() === 3));
    expect(mean((date) => date.getUTCDate() === 1)).toBeGreaterThan(1.5 * mean((date) => date.getUTCDate() === 15));
  });

  it('changes few companies in a night and counts each once per distribution', () => {
    const next = nextNight(large, 11);
    const before = new Map(Array.from(large.id, (id, row) => [id, row]));
    let [fresh, changed] = [0, 0];
    for (let row = 0; row < next.companies; row++) {
      const old = before.get(next.id[row]!);
      before.delete(next.id[row]!);
      if (old === undefined) fresh += 1;
      else if (next.zip[row] !== large.zip[old] || next.status[row] !== large.status[old]) changed += 1;
    }
    expect(fresh).toBe(20);
    expect(before.size).toBeGreaterThan(5);
    expect(before.size).toBeLessThan(40);
    expect(changed / large.companies).toBeGreaterThan(0.008);
    expect(changed / large.companies).toBeLessThan(0.012);
    for (const [key, { values, without }] of Object.entries(distributionsOf(next))) {
      expect(values.reduce((sum, [, companies]) => sum + companies, without)).toBe(next.companies);
      expect(values.every(([value], i) => i === 0 || value > values[i - 1]![0])).toBe(true);
      const [value, companies] = values[Math.floor(values.length / 2)]!;
      expect(search(new Market(next), { [key]: { gte: value, lte: value } }, 1).first).toMatchObject({
        total: companies,
      });
    }
  });
});
