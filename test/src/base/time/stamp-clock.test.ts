import { describe, expect, it, vi } from 'vitest';
import { StampClock } from '../../../../src/base/time/stamp-clock.js';

const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);

describe('StampClock', () => {
  it("stamps the clock's time while it moves forward", () => {
    let now = at('04:00:00.000');
    const stamps = new StampClock({ now: () => now });
    expect(stamps.now()).toEqual(now);
    now = at('04:00:01.500');
    expect(stamps.now()).toEqual(now);
  });

  it('keeps stamps in order when the clock is set back', () => {
    let now = at('16:00:00.000');
    const stamps = new StampClock({ now: () => now });
    stamps.now();
    now = at('04:00:00.000');
    expect([stamps.now(), stamps.now()]).toEqual([at('16:00:00.001'), at('16:00:00.002')]);
    now = at('16:00:05.000');
    expect(stamps.now()).toEqual(now);
  });

  it("continues after other machines' stamps and ignores invalid ones", () => {
    const stamps = new StampClock({ now: () => at('04:00:00.000') });
    stamps.after('2026-11-20T15:00:00.000Z');
    stamps.after('2026-11-20T14:00:00.000Z');
    stamps.after('the day after tomorrow');
    expect(stamps.now()).toEqual(at('15:00:00.001'));
  });
});

describe('wasSet', () => {
  it('reports the clock as set until confirmed once', () => {
    const stamps = new StampClock({ now: () => new Date() });
    expect(stamps.wasSet(1_000_000)).toBe(true);
    stamps.agree();
    expect(stamps.wasSet(1_000_000)).toBe(false);
  });

  it.each([60_000, -60_000])('notices a clock set by %i ms', (byMs) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    try {
      const stamps = new StampClock({ now: () => new Date() });
      stamps.agree();
      vi.advanceTimersByTime(3_600_000);
      expect(stamps.wasSet(60_000)).toBe(false);
      vi.setSystemTime(Date.now() + byMs);
      expect(stamps.wasSet(60_001)).toBe(false);
      expect(stamps.wasSet(60_000)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});
