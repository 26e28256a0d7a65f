import { describe, expect, it } from 'vitest';
import { createClock, secondsUntil } from '../../../src/core/clock.js';

it.each([undefined, ''])("uses the machine's clock when TIDEMARK_NOW is %j", (text) => {
  const before = Date.now();
  const now = createClock({ TIDEMARK_NOW: text }).now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

describe('secondsUntil', () => {
  it.each([
    ['00:00', 'UTC', '2026-11-20T23:59:59Z', 1],
    ['00:00', 'UTC', '2026-11-20T00:00:00Z', 86_400],
    ['00:00', 'UTC', '2026-11-20T00:00:01Z', 86_399],
    ['02:30', 'UTC', '2026-11-20T01:15:10Z', 4_490],
    ['02:30', 'Europe/Copenhagen', '2026-11-20T01:15:00Z', 900],
    ['09:05', 'Asia/Tokyo', '2026-11-20T00:00:00Z', 300],
    // A day with a clock change has 23 or 25 hours.
    ['04:00', 'Europe/Copenhagen', '2027-03-27T23:00:00Z', 3 * 3_600],
    ['04:00', 'Europe/Copenhagen', '2026-10-24T22:00:00Z', 5 * 3_600],
    ['00:00', 'Europe/Copenhagen', '2026-10-24T22:00:00Z', 25 * 3_600],
    ['02:30', 'Europe/Copenhagen', '2027-03-28T00:00:00Z', 5_400],
  ])('finds the next %s in %s after %s in %i s', (timeOfDay, zone, instant, seconds) => {
    expect(secondsUntil(timeOfDay, zone, new Date(instant))).toBe(seconds);
  });
});
