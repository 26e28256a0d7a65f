import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forecastDays,
  forecastFollowing,
  forecastRecords,
  forecastSearch,
  forecastSeconds,
  type RecordOutlook,
  type SearchOutlook,
} from '../../../../../src/crawl/search/plan/forecast.js';

const search = (more: Partial<SearchOutlook>): number =>
  forecastSearch({
    total: 100_000,
    size: 100,
    asked: 20,
    next: { kind: 'sweep', share: 1 },
    before: null,
    ...more,
  }).requests;

describe('forecast of a search', () => {
  it('forecasts known pages, past requests and a final total', () => {
    expect(search({ total: 240, asked: 2, next: { kind: 'pages', pages: 2 } })).toBe(5);
  });

  it('forecasts a tenth more than the pages, a fifth in a small market', () => {
    expect(search({})).toBe(20 + 1_100 + 1);
    expect(search({ total: 50_000 })).toBe(20 + 600 + 1);
  });

  it('forecasts a limited second pass for companies without a value', () => {
    expect(search({ next: { kind: 'sweep', share: 0.95 } })).toBe(20 + 1_045 + 1_000 + 1);
    expect(search({ next: { kind: 'sweep', share: 0.9999 } })).toBe(20 + 1_100 + 50 + 1);
  });

  it("forecasts a repeated search from its last cost and the market's size", () => {
    expect(search({ before: { requests: 1_050, total: 100_000 } })).toBe(1_050);
    expect(search({ before: { requests: 1_050, total: 50_000 } })).toBe(2_100);
  });
});

const records = (more: Partial<RecordOutlook>, total: number) =>
  forecastRecords(
    { stream: 'companies', endpoint: 'GET /v2/companies/{id}', known: 0, unfetched: 0, stale: 0, changed: 0, ...more },
    total,
  );

describe('forecast of records', () => {
  it('forecasts all records on the first night, later new, changed and stale ones', () => {
    expect(records({}, 1_000)).toMatchObject({ requests: 1_000, basis: '1,000 new' });
    expect(records({ known: 990, unfetched: 1, stale: 33, changed: 12 }, 1_000)).toMatchObject({
      requests: 56,
      basis: '10 new, 1 unfetched, 12 changed, 33 stale',
    });
    expect(records({ known: 1_000 }, 990)).toMatchObject({ requests: 0, basis: 'nothing due' });
  });

  it('forecasts at least the new records and at most the market', () => {
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

describe('forecast of time', () => {
  const stream = { stream: 's', requests: 1_000, endpoints: ['GET /a'], basis: '' };
  const pace = { latency: {}, typical: 100, concurrency: 10, requestsPerSecond: null };

  it('forecasts time from concurrency and measured latency', () => {
    expect(forecastSeconds(stream, pace)).toBe(10);
    expect(forecastSeconds(stream, { ...pace, latency: { 'GET /a': 200, 'GET /b': 900 } })).toBe(20);
  });

  it('forecasts no less time than the pace allows', () => {
    expect(forecastSeconds(stream, { ...pace, requestsPerSecond: 50 })).toBe(20);
    expect(forecastSeconds(stream, { ...pace, requestsPerSecond: 1_000 })).toBe(10);
  });
});

describe('forecast of quota days', () => {
  it("counts today's rest first, then whole days", () => {
    expect(forecastDays(100, { used: 900, total: 1_000 })).toBe(1);
    expect(forecastDays(101, { used: 900, total: 1_000 })).toBe(2);
    expect(forecastDays(1_101, { used: 900, total: 1_000 })).toBe(3);
    expect(forecastDays(1, { used: 2_000, total: 1_000 })).toBe(2);
  });

  it('forecasts no quota days without a total', () => {
    expect(forecastDays(1, null)).toBeNull();
    expect(forecastDays(1, { used: 5, total: 0 })).toBeNull();
  });

  it('forecasts the smallest sufficient number of quota days', () => {
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

describe('forecast of records that another stream names', () => {
  const details = {
    stream: 'employee_details',
    endpoint: 'GET /v2/employees/{id}',
    unfetched: 3,
    stale: 7,
    changed: 0,
  };

  it('expects as many people of a new company as of a known one', () => {
    const leader = { stream: 'employees', known: 100, unfetched: 0 };
    expect(forecastFollowing({ ...details, known: 500 }, leader, 110).requests).toBe(10 + 50);
  });

  it('says that the number is unknown before the first night', () => {
    const leader = { stream: 'employees', known: 100, unfetched: 100 };
    expect(forecastFollowing({ ...details, known: 0 }, leader, 110)).toMatchObject({
      requests: 0,
      basis: 'unknown before the first night: one for each record that employees names',
    });
  });

  it('counts the requests that a record takes', () => {
    const outlook = { ...details, known: 100, requestsPer: 2.5 };
    expect(forecastRecords(outlook, 100).requests).toBe(25);
  });
});
