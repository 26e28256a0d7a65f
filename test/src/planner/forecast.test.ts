import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forecastDays,
  forecastRecords,
  forecastSearch,
  forecastSeconds,
  type RecordOutlook,
  type SearchOutlook,
} from '../../../src/planner/forecast.js';

const search = (more: Partial<SearchOutlook>): number =>
  forecastSearch({
    total: 100_000,
    size: 100,
    asked: 20,
    next: { kind: 'sweep', share: 1 },
    before: null,
    ...more,
  }).requests;

describe('a search', () => {
  it('whose pages are known takes them, what was asked already, and the total once more', () => {
    expect(search({ total: 240, asked: 2, next: { kind: 'pages', pages: 2 } })).toBe(5);
  });

  it('that splits takes a tenth more than its pages, and a fifth in a small market', () => {
    expect(search({})).toBe(20 + 1_100 + 1);
    expect(search({ total: 50_000 })).toBe(20 + 600 + 1);
  });

  it('looks a second time for companies without a value, but no longer than they are worth', () => {
    expect(search({ next: { kind: 'sweep', share: 0.95 } })).toBe(20 + 1_045 + 1_000 + 1);
    expect(search({ next: { kind: 'sweep', share: 0.9999 } })).toBe(20 + 1_100 + 50 + 1);
  });

  it('that was done before takes what it took, by the size of the market', () => {
    expect(search({ before: { requests: 1_050, total: 100_000 } })).toBe(1_050);
    expect(search({ before: { requests: 1_050, total: 50_000 } })).toBe(2_100);
  });
});

const records = (more: Partial<RecordOutlook>, total: number) =>
  forecastRecords(
    { stream: 'companies', endpoint: 'GET /v2/companies/{id}', known: 0, unfetched: 0, stale: 0, changed: 0, ...more },
    total,
  );

describe('records', () => {
  it('are all due on the first night, and later those that came, changed or grew old', () => {
    expect(records({}, 1_000)).toMatchObject({ requests: 1_000, basis: '1,000 new' });
    expect(records({ known: 990, unfetched: 1, stale: 33, changed: 12 }, 1_000)).toMatchObject({
      requests: 56,
      basis: '10 new, 1 unfetched, 12 changed, 33 stale',
    });
    expect(records({ known: 1_000 }, 990)).toMatchObject({ requests: 0, basis: 'nothing due' });
  });

  it('are never more than the market has, nor fewer than the new ones', () => {
    const some = fc.nat(10_000);
    fc.assert(
      fc.property(some, some, some, some, some, (total, known, unfetched, stale, changed) => {
        const { requests } = records({ known, unfetched, stale, changed }, total);
        expect(requests).toBeLessThanOrEqual(total);
        expect(requests).toBeGreaterThanOrEqual(Math.max(0, total - known));
      }),
    );
  });
});

describe('time', () => {
  const stream = { stream: 's', requests: 1_000, endpoints: ['GET /a'], basis: '' };
  const pace = { latency: {}, typical: 100, concurrency: 10, requestsPerSecond: null };

  it('is what requests in flight together take, at the latency that was measured', () => {
    expect(forecastSeconds(stream, pace)).toBe(10);
    expect(forecastSeconds(stream, { ...pace, latency: { 'GET /a': 200, 'GET /b': 900 } })).toBe(20);
  });

  it('is no shorter than the pacing allows', () => {
    expect(forecastSeconds(stream, { ...pace, requestsPerSecond: 50 })).toBe(20);
    expect(forecastSeconds(stream, { ...pace, requestsPerSecond: 1_000 })).toBe(10);
  });
});

describe('days of quota', () => {
  it('are today’s rest first, then a whole day’s total', () => {
    expect(forecastDays(100, { used: 900, total: 1_000 })).toBe(1);
    expect(forecastDays(101, { used: 900, total: 1_000 })).toBe(2);
    expect(forecastDays(1_101, { used: 900, total: 1_000 })).toBe(3);
    expect(forecastDays(1, { used: 2_000, total: 1_000 })).toBe(2);
  });

  it('cannot be told without a total', () => {
    expect(forecastDays(1, null)).toBeNull();
    expect(forecastDays(1, { used: 5, total: 0 })).toBeNull();
  });

  it('suffice: what they hold is at least what is asked, and a day less is not enough', () => {
    const some = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(some, fc.nat(100_000), some, (requests, used, total) => {
        const days = forecastDays(requests, { used, total }) ?? 0;
        const room = (n: number): number => (n <= 0 ? 0 : Math.max(0, total - used) + (n - 1) * total);
        expect(room(days)).toBeGreaterThanOrEqual(requests);
        expect(days === 1 || room(days - 1) < requests).toBe(true);
      }),
    );
  });
});
