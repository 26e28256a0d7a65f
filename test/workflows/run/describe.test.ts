import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { Progress } from '../../../schemas/pipeline/run.js';
import { describeProgress, reasonsInWords, refusalInWords, waitingReason } from '../../../workflows/run/describe.js';

const NOW = Date.parse('2026-11-20T02:00:00Z');

const PROGRESS: Progress = {
  phase: 'crawling',
  date: '2026-11-20',
  market: 'demo',
  steps: [
    { name: 'search', done: 9, total: null, state: 'done', workedMs: 0 },
    { name: 'companies', done: 2_000, total: 6_000, state: 'running', about: '6,000 new', workedMs: 1_800_000 },
  ],
  requests: 12_345,
  startedAt: null,
  notes: [],
};

describe('the progress text for the Temporal UI', () => {
  it('shows phase, market, date, requests and a table of steps', () => {
    expect(describeProgress(PROGRESS, null, NOW).split('\n')).toEqual([
      '**crawling** · market `demo` · date 2026-11-20 · 12,345 requests',
      '',
      '| step | done | of | % | state | ETA | due |',
      '| --- | ---: | ---: | ---: | --- | --- | --- |',
      '| search | 9 | ? |  | done |  |  |',
      '| companies | 2,000 | 6,000 | 33 % | running | 2026-11-20 03:00 UTC | 6,000 new |',
    ]);
  });

  it('omits unknown values and names the data folder', () => {
    const folder = { id: 'i', path: '/srv/data', host: 'h' };
    const [head] = describeProgress({ ...PROGRESS, market: null, date: null, folder }, null, NOW).split('\n');
    expect(head).toBe('**crawling** · 12,345 requests · data folder `/srv/data` on h');
  });

  it('names the model that is built and the table that is published', () => {
    const table = { name: 'core.companies', done: 12, total: 1_048 };
    const lineOf = (phase: Progress['phase']) =>
      describeProgress({ ...PROGRESS, phase, table }, null, NOW).split('\n')[2];
    expect(lineOf('modelling')).toBe('Builds model 13 of 1,048: `core.companies`');
    expect(lineOf('publishing')).toBe('Publishes table 13 of 1,048: `core.companies`');
  });

  it('gives no ETA while the run waits or is paused, and says why it waits', () => {
    const waiting = waitingReason(0, 900);
    const text = describeProgress({ ...PROGRESS, phase: 'waiting-for-quota', waiting }, null, NOW);
    expect(text.split('\n').slice(0, 3)).toEqual([
      '**waiting for quota** · market `demo` · date 2026-11-20 · 12,345 requests',
      '',
      'The daily quota of the API is used up. Tidemark checks every 15m whether the API allows requests again.',
    ]);
    expect(text).toContain('| 33 % | running |  | 6,000 new |');
    const paused = describeProgress({ ...PROGRESS, phase: 'paused' }, null, NOW);
    expect(paused).toMatch(/^\*\*paused\*\*.*\n\nAn operator paused the run\..*`tidemark resume`\.\n/);
    expect(paused).toContain('| 33 % | running |  | 6,000 new |');
  });

  it('names the interval of the checks, and the share of a backfill', () => {
    expect(waitingReason(0, 600)).toBe(
      'The daily quota of the API is used up. Tidemark checks every 10m whether the API allows requests again.',
    );
    // Without a figure, the quota gate doubles the pause after each check.
    expect(waitingReason(0, 600, true)).toBe(
      'The daily quota of the API is used up. The API gives no quota figure, so Tidemark tries it again after 10m, and then after growing pauses.',
    );
    expect(waitingReason(0.25, 600)).toMatch(
      /^The run has used its share of the daily quota \(75 %\)\. Tidemark checks/,
    );
  });

  it('shows the outcome of an ended run, and the phase in which it failed', () => {
    const headOf = (more: Partial<Progress>) =>
      describeProgress({ ...PROGRESS, market: null, date: null, ...more }, null, NOW).split('\n')[0];
    expect(headOf({ phase: 'done', outcome: 'partial', rejects: 1_234 })).toBe(
      '**partial** · 12,345 requests · 1,234 rejects',
    );
    expect(headOf({ phase: 'loading', outcome: 'failed' })).toBe('**failed while loading** · 12,345 requests');
  });

  it('shows coverage, also if its share is unknown, and notes', () => {
    const coverage = { reportedTotal: 100, distinctCompanies: 97, missing: 3, share: 0.97 };
    const text = describeProgress({ ...PROGRESS, notes: ['first', 'second'] }, coverage, NOW);
    expect(text).toMatch(/\n\nCoverage 97 %: 97 of 100 companies, 3 missing\.\n\n\| step[^]*\n\n> first\n\n> second$/);
    expect(describeProgress(PROGRESS, { ...coverage, share: null }, NOW)).toMatch(
      /\n\nCoverage unknown: 97 of at least 100 companies, 3 missing\.\n/,
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
