import { expect, it } from 'vitest';
import { daysBefore, utcDay } from '../../../../src/base/time/time.js';

it('takes the day of an instant in UTC', () => {
  expect(utcDay(new Date('2026-12-31T23:59:59+01:00'))).toBe('2026-12-31');
  expect(utcDay(Date.parse('2026-12-31T23:30:00-01:00'))).toBe('2027-01-01');
  expect(utcDay(daysBefore(new Date('2026-03-01T00:00:00Z'), 1))).toBe('2026-02-28');
});
