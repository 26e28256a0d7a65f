import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMonths, weeksOf } from '../../../../ui/src/lib/month.js';
import { calendarQuery, TENDER_FILTERS, tenderQuery, type TenderFilter } from '../../../../ui/src/lib/tender-query.js';

const NONE = Object.fromEntries(TENDER_FILTERS.map(([key]) => [key, ''])) as unknown as TenderFilter;

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

it('shows open tenders unless the stage says otherwise', () => {
  expect(tenderQuery(NONE)).toContain('WHERE p.slug IS NOT NULL\n');
  expect(tenderQuery({ ...NONE, stage: 'closed' })).toContain('WHERE p.slug IS NULL\n');
  expect(tenderQuery({ ...NONE, stage: 'all' })).not.toContain('WHERE p.slug');
});

it('makes one statement of any filter and month', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record(Object.fromEntries(TENDER_FILTERS.map(([key]) => [key, fc.string()]))),
      fc.string(),
      async (any, month) => {
        const filter = any as unknown as TenderFilter;
        fc.pre(!`${Object.values(filter).join('')}${month}`.includes('\0'));
        for (const sql of [tenderQuery(filter), calendarQuery(filter, month)])
          expect((await connection.extractStatements(sql)).count).toBe(1);
      },
    ),
    { numRuns: 100 },
  );
});

describe('months', () => {
  const months = fc
    .tuple(fc.integer({ min: 1, max: 9998 }), fc.integer({ min: 1, max: 12 }))
    .map(([year, month]) => `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`);

  it('puts each day of a month under its weekday, once and in order', () => {
    fc.assert(
      fc.property(months, (month) => {
        const weeks = weeksOf(month);
        const days = weeks.flat().filter((day) => day !== null);
        expect(days[0]).toBe(`${month}-01`);
        expect(days.map((day) => Number(day.slice(8)))).toEqual(days.map((_, i) => i + 1));
        const next = addMonths(month, 1);
        const length = (Date.parse(`${next}-01`) - Date.parse(`${month}-01`)) / 86_400_000;
        expect(days).toHaveLength(length);
        for (const week of weeks) {
          expect(week).toHaveLength(7);
          for (const [i, day] of week.entries())
            if (day !== null) expect(new Date(`${day}T00:00:00Z`).getUTCDay()).toBe((i + 1) % 7);
        }
      }),
    );
  });

  it('returns to a month', () => {
    fc.assert(
      fc.property(months, fc.integer({ min: 0, max: 11 }), (month, by) => {
        fc.pre(Number(month.slice(0, 4)) > 2);
        expect(addMonths(addMonths(month, -by), by)).toBe(month);
      }),
    );
  });
});
