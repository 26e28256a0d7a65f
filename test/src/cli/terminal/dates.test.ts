import { describe, expect, it } from 'vitest';
import { parseSpan, runDate } from '../../../../src/cli/terminal/dates.js';

const clock = { now: () => new Date('2026-11-20T23:30:00Z') };

describe('runDate', () => {
  it("uses today in the schedule's time zone unless a date is given", () => {
    expect(runDate(undefined, 'UTC', clock)).toBe('2026-11-20');
    expect(runDate(undefined, 'Europe/Copenhagen', clock)).toBe('2026-11-21');
    expect(runDate('2026-11-01', 'UTC', clock)).toBe('2026-11-01');
  });

  it.each(['2026-02-30', '20-11-2026', 'yesterday', ''])('rejects %j as a date', (text) => {
    expect(() => runDate(text, 'UTC', clock)).toThrow(/is not a date/);
  });

  it("rejects a future date in the schedule's zone", () => {
    expect(() => runDate('2026-11-21', 'UTC', clock)).toThrow(/future/);
    expect(runDate('2026-11-21', 'Europe/Copenhagen', clock)).toBe('2026-11-21');
  });
});

describe('parseSpan', () => {
  it('accepts a span that ends today or earlier', () => {
    expect(parseSpan({ from: '2026-11-01', to: '2026-11-20' }, clock)).toEqual({
      from: '2026-11-01',
      to: '2026-11-20',
    });
  });

  it('rejects a span in the wrong order or in the future', () => {
    expect(() => parseSpan({ from: '2026-11-05', to: '2026-11-01' }, clock)).toThrow(/is after --to/);
    expect(() => parseSpan({ from: '2026-11-05', to: '2026-11-21' }, clock)).toThrow(/future/);
  });
});
