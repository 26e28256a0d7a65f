import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, displayWidth, pad } from '../../../src/progress/display-width.js';
import { formatDuration, formatPercent, formatRate } from '../../../src/progress/format.js';

describe('formatDuration', () => {
  it.each([
    [0, '0.0s'],
    [840, '0.8s'],
    [42_400, '42s'],
    [59_600, '1m00s'],
    [185_000, '3m05s'],
    [7_620_000, '2h07m'],
    [273_600_000, '3d04h'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('formatPercent', () => {
  it('shows 100% only when all is done', () => {
    expect(formatPercent(9_999, 10_000)).toBe('99%');
    expect(formatPercent(10_000, 10_000)).toBe('100%');
    expect(formatPercent(0, 0)).toBe('100%');
    expect(formatPercent(5, null)).toBe('?');
  });
});

describe('formatRate', () => {
  it('rounds a rate to two significant digits', () => {
    expect([0.44, 9.96, 12, 1_204].map(formatRate)).toEqual(['0.4/s', '10.0/s', '12/s', '1,204/s']);
  });
});

describe('display width', () => {
  it('gives wide letters width 2 and combining marks width 0', () => {
    expect(displayWidth('푸른솔 기술')).toBe(11);
    expect(displayWidth('Åkerlund')).toBe(8);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('📈')).toBe(2);
  });

  it('cuts to at most the given width and pads to exactly that', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        const short = cut(text, width);
        expect(displayWidth(short)).toBeLessThanOrEqual(width);
        expect(displayWidth(pad(short, width, 'left'))).toBe(width);
        if (displayWidth(text) <= width) expect(short).toBe(text);
      }),
    );
  });
});
