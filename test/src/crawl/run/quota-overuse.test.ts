import { expect, it } from 'vitest';
import type { QuotaRecord, RequestsRecord } from '../../../../schemas/pipeline/landing.js';
import { describeOveruse, quotaOveruse } from '../../../../src/crawl/run/quota-overuse.js';

const reading = (used: number, at: number, more: Partial<QuotaRecord> = {}): QuotaRecord => ({
  metric: 'daily_browsing',
  used,
  total: 1_000,
  read_at: `2026-11-20T02:0${at}:00Z`,
  daily: true,
  ...more,
});
const sent = (endpoint: string, requests: number, errors = 0): RequestsRecord => ({
  endpoint,
  requests,
  errors,
  retries: 0,
  bytes: 0,
  p50_ms: null,
  p99_ms: null,
});
const calls = [
  sent('GET /v2/metrics', 9),
  sent('GET /v2/metrics/contacts', 3),
  sent('GET /v2/companies/{id}', 100, 20),
  sent('POST /v1/finder/companies', 50),
  sent('GET /v2/companies/watch', 5),
];

it('reports no overuse between answered and sent calls', () => {
  for (const used of [80, 100, 155]) {
    expect(quotaOveruse([reading(10, 1), reading(10 + used, 2)], calls)).toMatchObject({ calls: 155, overuse: 0 });
  }
});

it('reports calls of another user and uncounted calls', () => {
  const other = quotaOveruse([reading(0, 1), reading(20, 2), reading(255, 3)], calls);
  expect(other).toMatchObject({ used_before: 0, used_after: 255, overuse: 100 });
  expect(describeOveruse(other!)).toMatch(
    /counted 255 .* logged 155 requests\. .*another user of the API key.* sent the other 100\./i,
  );
  const free = quotaOveruse([reading(0, 1), reading(30, 2)], calls);
  expect(free).toMatchObject({ overuse: -50 });
  expect(describeOveruse(free!)).toMatch(/counted 30 .*: the API did not count 50 requests/);
});

it('counts requests of a killed worker as possibly counted, and names them', () => {
  const withKilled = [...calls, sent('unknown', 16)];
  for (const used of [80, 155, 171])
    expect(quotaOveruse([reading(0, 1), reading(used, 2)], withKilled)).toMatchObject({ unknown: 16, overuse: 0 });
  const other = quotaOveruse([reading(0, 1), reading(271, 2)], withKilled);
  expect(describeOveruse(other!)).toBe(
    'The API counted 271 calls (daily_browsing) while this run logged 171 requests, including 16 in flight when a worker was killed. Another run, another user of the API key or a lost machine sent the other 100.',
  );
});

it('excludes metric calls and allows uncounted watches and failed calls', () => {
  expect(quotaOveruse([reading(0, 1), reading(79, 2)], calls)).toMatchObject({ overuse: -1 });
  expect(quotaOveruse([reading(0, 1), reading(156, 2)], calls)).toMatchObject({ calls: 155, overuse: 1 });
});

it('measures from the first to the last reading in any order', () => {
  expect(quotaOveruse([reading(120, 3), reading(20, 1), reading(60, 2)], calls)).toEqual({
    metric: 'daily_browsing',
    used_before: 20,
    used_after: 120,
    calls: 155,
    overuse: 0,
  });
  expect(quotaOveruse([reading(20, 1), reading(20, 2)], [])).toMatchObject({ overuse: 0 });
  expect(quotaOveruse([reading(20, 1)], calls)).toBeNull();
  expect(quotaOveruse([], calls)).toBeNull();
});

it.each([
  [155, 9, false],
  [155, 10, true],
  [155, -10, true],
  [2_000, 19, false],
  [2_000, 20, true],
])('reports overuse to the operator: of %i calls, %i off: %j', (of, overuse, told) => {
  const words = describeOveruse({
    metric: 'daily_browsing',
    used_before: 7,
    used_after: 7 + of + overuse,
    calls: of,
    overuse,
  });
  expect(words !== null).toBe(told);
  if (told)
    expect(words).toContain(
      `The API counted ${of + overuse} calls (daily_browsing) while this run logged ${of} requests`,
    );
});

it('reports no small overuse, nor across a quota reset or monthly metric', () => {
  expect(describeOveruse(quotaOveruse([reading(0, 1), reading(160, 2)], calls)!)).toBeNull();
  expect(quotaOveruse([reading(100, 1), reading(3, 2)], calls)).toBeNull();
  expect(quotaOveruse([reading(100, 1), reading(300, 2, { daily: false })], calls)).toBeNull();
});
