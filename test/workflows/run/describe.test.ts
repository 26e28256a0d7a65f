import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { Progress } from '../../../schemas/pipeline/run.js';
import { describeProgress, reasonsInWords, refusalInWords } from '../../../workflows/run/describe.js';

const PROGRESS: Progress = {
  phase: 'crawling',
  date: '2026-11-20',
  market: 'demo',
  steps: [
    { name: 'search', done: 9, total: null, state: 'done' },
    { name: 'companies', done: 2, total: 5, state: 'running', about: '5 new' },
  ],
  requests: 12,
  startedAt: null,
  notes: [],
};

describe('the progress text for the Temporal UI', () => {
  it('shows phase, market, date, requests and a table of steps', () => {
    expect(describeProgress(PROGRESS, null).split('\n')).toEqual([
      '**crawling** · market `demo` · date 2026-11-20 · 12 requests',
      '',
      '| step | done | of | state | due |',
      '| --- | ---: | ---: | --- | --- |',
      '| search | 9 | ? | done |  |',
      '| companies | 2 | 5 | running | 5 new |',
    ]);
  });

  it('omits unknown values and names the data folder', () => {
    const folder = { id: 'i', path: '/srv/data', host: 'h' };
    const [head] = describeProgress({ ...PROGRESS, market: null, date: null, folder }, null).split('\n');
    expect(head).toBe('**crawling** · 12 requests · data folder `/srv/data` on h');
  });

  it('shows coverage, companies carried over, and notes', () => {
    const coverage = { reportedTotal: 100, distinctCompanies: 97, missing: 3, share: 0.97 };
    const text = describeProgress({ ...PROGRESS, notes: ['first', 'second'] }, coverage);
    expect(text).toMatch(/\nCoverage: 97 of 100 companies, 3 missing\.\n\n> first\n\n> second$/);
    const carried = { companies: 7, since: '2026-11-13' };
    expect(describeProgress(PROGRESS, { ...coverage, carried })).toMatch(
      /3 missing\. Carried over, not searched: 7, last found on 2026-11-13 or later\.$/,
    );
  });
});

it('lists why entities are due, most valuable first', () => {
  expect(reasonsInWords({ stale: 2_000, new: 5, failed: 6, event: 101 })).toBe(
    '5 new, 101 with events, 6 failed last time, 2,000 stale',
  );
  expect(reasonsInWords({ unfetched: 1, renamed: 2, status: 3, entered: 4, changed: 5, watched: 6 })).toBe(
    '1 never fetched, 2 renamed, 3 with a new status, 4 back in the market, 5 changed, 6 watched',
  );
  expect(reasonsInWords({})).toBe('');
  expect(reasonsInWords()).toBe('');
});

describe('a refusal in words', () => {
  const refusal: Refusal = {
    stream: 'financials_v1',
    endpoint: 'GET /v1/reports',
    permission: 'Reports',
    module: 'Finance',
    app: null,
    guard: null,
    message: 'no',
  };

  it('names the permission that the key lacks', () => {
    expect(refusalInWords(refusal)).toMatch(
      /^financials v1: this API key lacks the permission "Reports", module "Finance", which GET \/v1\/reports needs\./,
    );
  });

  it('quotes the API if it does not name the permission', () => {
    expect(refusalInWords({ ...refusal, permission: null, module: null })).toMatch(
      /^financials v1: the API does not allow GET \/v1\/reports with this API key \("no"\)\./,
    );
  });

  it('distinguishes a refusal from a long limit', () => {
    const limit = { ...refusal, guard: 'limit' };
    expect(refusalInWords(limit)).toMatch(/answered only "limit" \(permission "Reports", module "Finance"\) to GET/);
    expect(refusalInWords({ ...limit, permission: null, module: null })).toMatch(/answered only "limit" to GET/);
  });
});
