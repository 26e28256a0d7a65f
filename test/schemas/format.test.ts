import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatInstant,
  formatPercent,
  formatRate,
  formatShare,
} from '../../schemas/format.js';

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [9_999, '9,999'],
    [-12_345, '-12,345'],
    [12_345_678_901_234_567_890n, '12,345,678,901,234,567,890'],
  ])('groups the digits of %s', (value, text) => {
    expect(formatCount(value)).toBe(text);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0.0s'],
    [840, '0.8s'],
    [42_400, '42s'],
    [59_600, '1m'],
    [185_000, '3m 05s'],
    [2_700_000, '45m'],
    [7_620_000, '2h 07m'],
    [7_200_000, '2h'],
    [273_600_000, '3d 04h'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('formatShare', () => {
  it.each([
    [0, '0 %'],
    [0.000_01, '< 0.01 %'],
    [0.57, '57 %'],
    [0.973_399, '97.33 %'],
    [1, '100 %'],
  ])('writes the share %d as %s', (share, text) => {
    expect(formatShare(share)).toBe(text);
  });

  it('shows 100 % only for all, and 0 % only for none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.nat(10_000_000), (total, some) => {
        const found = Math.min(some, total);
        expect(formatShare(found / total) === '100 %').toBe(found === total);
        expect(formatShare(found / total) === '0 %').toBe(found === 0);
      }),
    );
  });
});

describe('formatPercent', () => {
  it('shows 100 % only when all is done', () => {
    expect(formatPercent(9_999, 10_000)).toBe('99 %');
    expect(formatPercent(10_000, 10_000)).toBe('100 %');
    expect(formatPercent(0, 0)).toBe('100 %');
    expect(formatPercent(5, null)).toBe('?');
  });
});

describe('formatRate', () => {
  it('rounds a rate to two significant digits', () => {
    expect([0.44, 9.96, 12, 1_204].map(formatRate)).toEqual(['0.4/s', '10.0/s', '12/s', '1,204/s']);
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [512, '512 B'],
    [1_536, '1.5 KiB'],
    [500 * 1_048_576, '500 MiB'],
    [3 * 1_024 ** 5, '3,072 TiB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatInstant', () => {
  it('writes an instant to the minute, with its zone', () => {
    expect(formatInstant('2026-11-20T21:14:59.123Z')).toBe('2026-11-20 21:14 UTC');
  });
});
