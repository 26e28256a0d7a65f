import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayIn } from '../../../../src/base/time/clock.js';
import { daySpan, startOfDay } from '../../../../src/base/time/zoned-day.js';

const ZONES = [
  'UTC',
  'Europe/Copenhagen',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/Sao_Paulo',
];

describe('startOfDay', () => {
  it.each([
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20', 'Europe/Copenhagen', '2026-11-19T23:00:00.000Z'],
    ['2026-07-01', 'Europe/Copenhagen', '2026-06-30T22:00:00.000Z'],
    ['2026-11-20', 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z'],
    ['2026-11-20', 'Pacific/Pago_Pago', '2026-11-20T11:00:00.000Z'],
    // In São Paulo the clock went from 23:59:59 to 01:00, so that day had no midnight.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ])('starts %s in %s at %s', (date, zone, instant) => {
    expect(startOfDay(date, zone).toISOString()).toBe(instant);
  });

  it('finds the first instant of any day in any zone', () => {
    const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(days, fc.constantFrom(...ZONES), (day, zone) => {
        const date = day.toISOString().slice(0, 10);
        const start = startOfDay(date, zone);
        expect(dayIn(zone, start)).toBe(date);
        expect(dayIn(zone, new Date(start.getTime() - 1)) < date).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('daySpan', () => {
  it('spans both days completely, also over a clock change', () => {
    const { start, end } = daySpan('2026-10-24', '2026-10-25', 'Europe/Copenhagen');
    expect(start.toISOString()).toBe('2026-10-23T22:00:00.000Z');
    expect(end.toISOString()).toBe('2026-10-25T22:59:59.999Z');
  });
});
