import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { LimitError } from '../../../src/api/index.js';
import { parseRetryAfter, retryDelay } from '../../../src/api/retry.js';
import { rejection, reply, withApi } from './helpers.js';

const policy = { maxRetries: 5, retryBaseMs: 250, retryCapMs: 10_000, maxRetryAfterMs: 60_000 };

describe('retryDelay', () => {
  it('applies full jitter to a capped backoff and honours Retry-After up to its maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.option(fc.integer({ min: 0, max: 10_000_000 })),
        (attempt, random, retryAfter) => {
          const delay = retryDelay(policy, attempt, retryAfter, random);
          expect(delay).toBeGreaterThanOrEqual(Math.min(retryAfter ?? 0, policy.maxRetryAfterMs));
          expect(delay).toBeLessThanOrEqual(
            retryAfter === null ? Math.min(policy.retryCapMs, 250 * 2 ** (attempt - 1)) : policy.maxRetryAfterMs,
          );
        },
      ),
    );
  });

  it('grows the retry delay with each attempt', () => {
    expect([1, 2, 3, 9].map((n) => retryDelay(policy, n, null, 0.5))).toEqual([125, 250, 500, 5000]);
  });
});

describe('parseRetryAfter', () => {
  const date = 'Sat, 21 Nov 2026 02:00:00 GMT';
  it.each<[string | null, string | null, number | null]>([
    [null, null, null],
    ['', null, null],
    ['soon', null, null],
    ['7', null, 7000],
    [' 12 ', null, 12_000],
    ['5s', null, null],
    ['0.5', null, 500],
    ['1.25', null, 1_250],
    ['Sat, 21 Nov 2026 02:00:30 GMT', date, 30_000],
    ['Sat, 21 Nov 2026 01:00:00 GMT', date, 0],
    ['Sat, 21 Nov 2026 02:00:30 GMT', 'nonsense', 20_000],
    ['Sat, 21 Nov 2026 02:00:30 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT', 20_000],
    ['Sat, 21 Nov 2026 02:00:30 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 20_000],
    ['Saturday, 21-Nov-26 02:00:30 GMT', date, 30_000],
    ['Sat Nov 21 02:00:30 2026', date, 30_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', date, 86_400_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', date, 0],
    ['9'.repeat(400), null, 86_400_000],
    ['99999999', null, 86_400_000],
    ['0', null, 0],
    ['-5', null, null],
    ['-1000000', null, null],
    ['1e9', null, null],
    ['NaN', null, null],
    ['Infinity', null, null],
    ['0x10', null, null],
    ['5, 10', null, null],
    ['May', null, null],
    ['2', null, 2_000],
    ['2027', null, 2_027_000],
    ['1/1/2030', null, null],
  ])('reads Retry-After %j with Date %j as %j', (retryAfter, served, expected) => {
    const headers = { 'retry-after': retryAfter ?? undefined, date: served ?? undefined };
    expect(parseRetryAfter(headers, Date.parse('2026-11-21T02:00:10Z'))).toBe(expected);
  });
});

describe('retries over HTTP', () => {
  it('waits for Retry-After, in seconds or as a date', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    for (const retryAfter of ['3600', inAnHour]) {
      await withApi(
        (_q, r) => reply(r, 503, { detail: 'Internal' }, { 'retry-after': retryAfter }),
        async ({ client, api }) => {
          const end = new AbortController();
          const call = rejection(client.v2.company(1, { signal: end.signal }));
          while (api.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
          // Without the header the retry would come within 2 ms.
          await new Promise((resolve) => setTimeout(resolve, 60));
          expect(api.seen).toHaveLength(1);
          end.abort(new Error('enough'));
          await call;
        },
      );
    }
  });

  it('caps the wait for Retry-After', async () => {
    await withApi(
      (_q, r, n) => (n === 1 ? reply(r, 429, {}, { 'retry-after': '3600' }) : reply(r, 200, { id: 1 })),
      async ({ client }) => expect((await client.v2.company(1)).attempts).toBe(2),
      { maxRetryAfterMs: 5 },
    );
  });

  it.each([
    ['2', 2_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
    [null, null],
  ])('reports Retry-After %s in the final error', async (header, expected) => {
    await withApi(
      (_q, r) =>
        reply(r, 429, { error_guard: 'limit', message_guard: 'slower' }, header ? { 'retry-after': header } : {}),
      async ({ client }) => {
        const { retryAfterMs } = await rejection<LimitError>(client.v2.company(1));
        if (expected === null) expect(retryAfterMs).toBeNull();
        else expect(Math.abs((retryAfterMs ?? 0) - expected)).toBeLessThan(60_000);
        if (expected === 2_000) expect(retryAfterMs).toBe(2_000);
      },
      { maxRetries: 0 },
    );
  });

  it.each<[string, number, object]>([
    ['a refused key', 503, { detail: 'Invalid token.' }],
    ['a refused request', 500, { page: ['Too high.'] }],
    ['the daily limit', 503, { access: {}, error_guard: 'limits.daily', message_guard: 'x' }],
    ['a limit it does not know', 503, { access: {}, error_guard: 'limits.monthly', message_guard: 'x' }],
    ['what is not there', 404, { detail: 'Not found.' }],
  ])('does not retry %s', async (_name, status, body) => {
    await withApi(
      (_q, r) => reply(r, status, body),
      async ({ client, api }) => {
        await rejection(client.v2.prospecting({}));
        expect(api.seen).toHaveLength(1);
      },
    );
  });
});
