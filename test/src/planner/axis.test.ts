import { describe, expect, it } from 'vitest';
import { categoricalAxis, positionOf, rangeAxis } from '../../../src/planner/axis.js';
import { dayNumber, dayText, firstDay, yearOf } from '../../../src/planner/days.js';
import type { RangeDimension } from '../../../src/planner/index.js';

const dates: RangeDimension = { kind: 'range', key: 'company_incorporation', type: 'date' };
const amounts: RangeDimension = {
  kind: 'range',
  key: 'financial_turnover',
  type: 'decimal',
  extra: { currency: 'EUR' },
};
const day = (text: string): number => dayNumber(text)!;

describe('a date axis', () => {
  const axis = rangeAxis(dates, {}, day('1990-01-01'), day('2026-11-20'), 'day');

  it('is open at both ends, so that nothing lies outside', () => {
    expect(axis.filter({ from: axis.lo, to: day('2001-02-03') })).toEqual({ lte: '2001-02-03' });
    expect(axis.filter({ from: day('2001-02-04'), to: axis.hi })).toEqual({ gte: '2001-02-04' });
    expect(axis.filter({ from: day('2001-02-04'), to: day('2001-02-04') })).toEqual({
      gte: '2001-02-04',
      lte: '2001-02-04',
    });
    expect(axis.name({ from: axis.lo, to: day('2001-02-03') })).toBe('..2001-02-03');
    expect(axis.name({ from: day('2001-02-04'), to: day('2001-02-04') })).toBe('2001-02-04');
  });

  it("stays inside the market's own bounds, as they were written", () => {
    const own = rangeAxis(dates, { gte: 2005, lte: '2010-06-30' }, day('1990-01-01'), day('2026-11-20'), 'day');
    expect([dayText(own.lo), dayText(own.hi)]).toEqual(['2005-01-01', '2010-06-30']);
    expect(own.filter({ from: own.lo, to: day('2006-01-01') })).toEqual({ gte: 2005, lte: '2006-01-01' });
    expect(own.filter({ from: day('2006-01-02'), to: own.hi })).toEqual({ gte: '2006-01-02', lte: '2010-06-30' });
  });

  it('speaks years where the API counts years', () => {
    const window = { from: 2001, to: 2003 };
    const say = (format: 'year' | 'year-as-text' | 'year-as-dates') =>
      rangeAxis(dates, {}, 1990, 2026, format).filter(window);
    expect(say('year')).toEqual({ gte: 2001, lte: 2003 });
    expect(say('year-as-text')).toEqual({ gte: '2001', lte: '2003' });
    expect(say('year-as-dates')).toEqual({ gte: '2001-01-01', lte: '2003-12-31' });
  });

  it('has companies about evenly over its coordinate: recent days weigh more', () => {
    const width = (year: number): number => axis.coord(firstDay(year + 1, 1)) - axis.coord(firstDay(year, 1));
    expect(width(2020)).toBeGreaterThan(2 * width(1995));
  });
});

describe('a number axis', () => {
  it('counts hundredths, keeps further properties and does not lose cents', () => {
    const axis = rangeAxis(amounts, {}, 0, 100_000_000, 'day');
    expect(axis.filter({ from: 1_010, to: 2_099 })).toEqual({ currency: 'EUR', gte: 10.1, lte: 20.99 });
    expect(positionOf(amounts, 'day', 10.1, 'first')).toBe(1_010);
    expect(positionOf(amounts, 'day', '7', 'last')).toBe(700);
    expect(positionOf(amounts, 'day', 'a lot', 'last')).toBeUndefined();
  });
});

describe('a categorical axis', () => {
  it('asks several values in one search, or one by one where the API takes a plain value', () => {
    const several = categoricalAxis({ kind: 'categorical', key: 'legal_form', values: [] }, [8, 9, 10], true);
    expect(several.filter({ from: 0, to: 1 })).toEqual([8, 9]);
    expect(several.name({ from: 0, to: 1 })).toBe('8..9');
    const plain = categoricalAxis({ kind: 'categorical', key: 'c', values: [], form: 'value' }, [{ id: '1_2' }], true);
    expect(plain.windows).toBe(false);
    expect(plain.filter({ from: 0, to: 0 })).toEqual({ id: '1_2' });
    expect(plain.name({ from: 0, to: 0 })).toBe('{"id":"1_2"}');
  });
});

describe('days', () => {
  it('are numbers and back', () => {
    for (const text of ['1600-03-01', '1969-12-31', '1970-01-01', '2024-02-29', '2026-11-20'])
      expect(dayText(day(text))).toBe(text);
    expect(yearOf(day('1899-12-31'))).toBe(1899);
    expect(dayNumber('20 Nov 2026')).toBeUndefined();
  });
});
