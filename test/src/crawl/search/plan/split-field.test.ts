import { describe, expect, it } from 'vitest';
import { categoricalField, positionOf, rangeField } from '../../../../../src/crawl/search/plan/split-field.js';
import { dayNumber, dayText, firstDay, midyear, yearOf } from '../../../../../src/crawl/search/plan/days.js';
import type { RangeDimension } from '../../../../../src/crawl/search/plan/index.js';

const dates: RangeDimension = { kind: 'range', key: 'company_incorporation', type: 'date' };
const amounts: RangeDimension = { kind: 'range', key: 'financial_turnover', type: 'decimal' };
const day = (text: string): number => dayNumber(text)!;

describe('windows of a date filter', () => {
  const splitField = rangeField(dates, {}, { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day' });

  it('leaves date windows open at both ends', () => {
    expect(splitField.filter({ from: splitField.lo, to: day('2001-02-03') })).toEqual({ lte: '2001-02-03' });
    expect(splitField.filter({ from: day('2001-02-04'), to: splitField.hi })).toEqual({ gte: '2001-02-04' });
    expect(splitField.filter({ from: day('2001-02-04'), to: day('2001-02-04') })).toEqual({
      gte: '2001-02-04',
      lte: '2001-02-04',
    });
    expect(splitField.name({ from: splitField.lo, to: day('2001-02-03') })).toBe('..2001-02-03');
    expect(splitField.name({ from: day('2001-02-04'), to: day('2001-02-04') })).toBe('2001-02-04');
  });

  it("keeps date windows within the market's own bounds", () => {
    const own = rangeField(
      dates,
      { gte: 2005, lte: '2010-06-30' },
      { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day' },
    );
    expect([dayText(own.lo), dayText(own.hi)]).toEqual(['2005-01-01', '2010-06-30']);
    expect(own.filter({ from: own.lo, to: day('2006-01-01') })).toEqual({ gte: 2005, lte: '2006-01-01' });
    expect(own.filter({ from: day('2006-01-02'), to: own.hi })).toEqual({ gte: '2006-01-02', lte: '2010-06-30' });
  });

  it('writes bounds as years if the API filters by year', () => {
    const window = { from: 2001, to: 2003 };
    const say = (format: 'year' | 'year-as-text' | 'year-as-dates') =>
      rangeField(dates, {}, { min: 1990, max: 2026, format }).filter(window);
    expect(say('year')).toEqual({ gte: 2001, lte: 2003 });
    expect(say('year-as-text')).toEqual({ gte: '2001', lte: '2003' });
    expect(say('year-as-dates')).toEqual({ gte: '2001-01-01', lte: '2003-12-31' });
  });

  it('gives recent years more weight than earlier ones', () => {
    const width = (year: number): number =>
      splitField.coord(firstDay(year + 1, 1)) - splitField.coord(firstDay(year, 1));
    expect(width(2020)).toBeGreaterThan(2 * width(1995));
  });
});

describe('date windows by bound semantics', () => {
  const window = { from: day('2001-02-03'), to: day('2001-02-10') };
  const said = (bounds?: 'inclusive' | 'exclusive' | 'half-open') =>
    rangeField(dates, {}, { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day', bounds }).filter(window);

  it('uses the first and last day with inclusive bounds', () => {
    expect(said()).toEqual({ gte: '2001-02-03', lte: '2001-02-10' });
    expect(said('inclusive')).toEqual({ gte: '2001-02-03', lte: '2001-02-10' });
  });

  it('widens a window by one day for exclusive bounds', () => {
    expect(said('exclusive')).toEqual({ gte: '2001-02-02', lte: '2001-02-11' });
    expect(said('half-open')).toEqual({ gte: '2001-02-03', lte: '2001-02-11' });
  });

  it('selects all companies with a date by both bounds', () => {
    const splitField = rangeField(dates, {}, { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day' });
    expect(splitField.everybody).toEqual({ gte: '1990-01-01', lte: '2026-11-20' });
    const own = rangeField(dates, { gte: 2005 }, { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day' });
    expect(own.everybody).toEqual({ gte: 2005, lte: '2026-11-20' });
    expect(own.name({ from: own.lo, to: own.hi })).toBe('2005-01-01..');
  });

  it('keeps market bounds beyond the horizon', () => {
    const early = rangeField(dates, { lte: 1950 }, { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day' });
    expect([dayText(early.lo), dayText(early.hi)]).toEqual(['1950-12-31', '1950-12-31']);
    const late = rangeField(dates, { gte: 2030 }, { min: day('1990-01-01'), max: day('2026-11-20'), format: 'day' });
    expect([dayText(late.lo), dayText(late.hi)]).toEqual(['2030-01-01', '2030-01-01']);
  });

  it('weights weekends at a tenth of a weekday', () => {
    const splitField = rangeField(dates, {}, { min: day('1990-01-01'), max: day('2026-11-22'), format: 'day' });
    const width = (text: string): number => splitField.coord(day(text) + 1) - splitField.coord(day(text));
    // From a Monday to a Sunday.
    const week = ['16', '17', '18', '19', '20', '21', '22'].map((date) => width(`2026-11-${date}`));
    const [monday = 0] = week;
    for (const other of week.slice(0, 5)) expect(other / monday).toBeCloseTo(1, 2);
    for (const weekend of week.slice(5)) expect(weekend / monday).toBeCloseTo(0.104, 2);
  });

  it.each([
    ['2005', 'first', '2005-01-01'],
    ['2005', 'last', '2005-12-31'],
    [2005, 'last', '2005-12-31'],
    ['2005-06-07T12:00:00Z', 'first', '2005-06-07'],
    [0, 'first', null],
    [10_000, 'first', null],
    [2005.5, 'first', null],
    ['20055', 'first', null],
    ['x2005', 'first', null],
    ['soon', 'first', null],
    [null, 'first', null],
  ] as const)('reads %j as the %s day %s', (bound, end, expected) => {
    const position = positionOf(dates, 'day', bound, end);
    expect(position === undefined ? null : dayText(position)).toBe(expected);
  });

  it('reads and writes years as filter bounds', () => {
    expect(positionOf(dates, 'year', '2005-06-07', 'first')).toBe(2005);
    expect(positionOf(dates, 'year', 2005, 'last')).toBe(2005);
    expect(positionOf(dates, 'year', 'soon', 'last')).toBeUndefined();
    expect(positionOf(dates, 'year', null, 'last')).toBeUndefined();
    expect(rangeField(dates, {}, { min: 1, max: 2026, format: 'year-as-text' }).filter({ from: 5, to: 5 })).toEqual({
      gte: '0005',
      lte: '0005',
    });
    const splitField = rangeField(dates, {}, { min: 1900, max: 2026, format: 'year' });
    expect(
      (splitField.coord(2026) - splitField.coord(2025)) / (splitField.coord(2006) - splitField.coord(2005)),
    ).toBeCloseTo(Math.E);
  });
});

describe('windows of a number filter', () => {
  it('rounds numeric bounds inwards and rejects words', () => {
    const counts: RangeDimension = { kind: 'range', key: 'number_of_employees', type: 'integer' };
    expect(positionOf(counts, 'day', 4.5, 'first')).toBe(5);
    expect(positionOf(counts, 'day', 4.5, 'last')).toBe(4);
    for (const none of ['', ' ', 'many', NaN, Infinity, null, [5]])
      expect(positionOf(counts, 'day', none, 'first')).toBeUndefined();
    const splitField = rangeField(counts, {}, { min: 0, max: 1_000, format: 'day' });
    expect(splitField.filter({ from: 5, to: 9 })).toEqual({ gte: 5, lte: 9 });
    expect(splitField.coord(0)).toBe(0);
    expect(splitField.coord(9)).toBeCloseTo(Math.log(10));
    expect(splitField.coord(-9)).toBeCloseTo(-Math.log(10));
  });

  it('counts amounts in cents and keeps other properties', () => {
    const splitField = rangeField(amounts, {}, { min: 0, max: 100_000_000, format: 'day' });
    expect(splitField.filter({ from: 1_010, to: 2_099 })).toEqual({ gte: 10.1, lte: 20.99 });
    expect(positionOf(amounts, 'day', 10.1, 'first')).toBe(1_010);
    expect(positionOf(amounts, 'day', '7', 'last')).toBe(700);
    expect(positionOf(amounts, 'day', 'a lot', 'last')).toBeUndefined();
  });
});

describe('windows of a list filter', () => {
  it('selects several values in one search, or one if required', () => {
    const several = categoricalField({ kind: 'categorical', key: 'legal_form', values: [] }, [8, 9, 10], true);
    expect(several.filter({ from: 0, to: 1 })).toEqual([8, 9]);
    expect(several.name({ from: 0, to: 1 })).toBe('8..9');
    expect(several.name({ from: 2, to: 2 })).toBe('10');
    expect(several.everybody).toEqual([8, 9, 10]);
    expect(several).toMatchObject({
      key: 'legal_form',
      lo: 0,
      hi: 2,
      windows: true,
      ordered: false,
      overlapping: false,
    });
    expect(several.coord(2)).toBe(2);
    const single = categoricalField({ kind: 'categorical', key: 'c', values: [], overlapping: true }, ['a'], false);
    expect(single).toMatchObject({ windows: false, everybody: null, overlapping: true });
    const named = categoricalField(
      { kind: 'categorical', key: 'c', values: [], list: 'include' },
      [1, { id: 2 }],
      true,
    );
    expect(named.filter({ from: 0, to: 0 })).toEqual({ include: [1] });
    expect(named.everybody).toEqual({ include: [1, { id: 2 }] });
    expect(named.name({ from: 1, to: 1 })).toBe('{"id":2}');
  });
});

describe('day numbers', () => {
  it('converts days to numbers and back', () => {
    for (const text of ['1600-03-01', '1969-12-31', '1970-01-01', '2024-02-29', '2026-11-20'])
      expect(dayText(day(text))).toBe(text);
    expect(yearOf(day('1899-12-31'))).toBe(1899);
    expect(dayNumber('20 Nov 2026')).toBeUndefined();
    expect(dayNumber('on 2026-11-20')).toBeUndefined();
  });

  it('finds the first Wednesday in July', () => {
    expect([2024, 2025, 2026, 1970, 1959].map((year) => dayText(midyear(year)))).toEqual([
      '2024-07-03',
      '2025-07-02',
      '2026-07-01',
      '1970-07-01',
      '1959-07-01',
    ]);
  });
});
