import { describe, expect, it } from 'vitest';
import { newYear, spanOfYears, toIso, yearOf } from '../../sandbox/world/calendar.js';

describe('years and unix days', () => {
  it('converts between years and Unix days like Date', () => {
    for (let year = 1500; year <= 2500; year++) {
      const first = newYear(year);
      expect(toIso(first)).toBe(`${year}-01-01`);
      expect([yearOf(first), yearOf(first - 1), yearOf(first + 200)]).toEqual([year, year - 1, year]);
    }
  });

  it('spans whole years for any bounds', () => {
    expect(spanOfYears(2009, 2010).map(toIso)).toEqual(['2009-01-01', '2010-12-31']);
    expect(spanOfYears(2008.5, 2010.5).map(toIso)).toEqual(['2009-01-01', '2010-12-31']);
    expect(spanOfYears(50, 99).map((day) => yearOf(day))).toEqual([50, 99]);
    const [first, last] = spanOfYears(-Infinity, Infinity);
    expect(first).toBeLessThan(-50_000_000);
    expect(last).toBeGreaterThan(50_000_000);
  });
});
