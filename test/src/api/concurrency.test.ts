import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ConcurrencyGate } from '../../../src/api/concurrency-gate.js';
import { ClientClosedError } from '../../../src/api/index.js';
import { Pacer } from '../../../src/api/pacer.js';
import { rejection, reply, withApi, type Handler } from './helpers.js';

/** Answers after a short time and counts the most requests open at once. */
function countOpen(): { handler: Handler; most: () => number; reset: () => void } {
  let open = 0;
  let most = 0;
  return {
    handler: (_q, r) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        reply(r, 200, { id: 1 });
      }, 25);
    },
    most: () => most,
    reset: () => {
      most = 0;
    },
  };
}

describe('requests in flight', () => {
  it('limits requests in flight over all routes and follows setConcurrency', async () => {
    const open = countOpen();
    await withApi(
      open.handler,
      async ({ client }) => {
        const ask = async (): Promise<unknown> =>
          Promise.all(
            Array.from({ length: 24 }, async (_, i) => (i % 2 ? client.v2.company(i) : client.v2.financial(i))),
          );
        await ask();
        expect(open.most()).toBe(4);
        client.setConcurrency(2);
        open.reset();
        await ask();
        expect(open.most()).toBe(2);
        client.setConcurrency(8);
        open.reset();
        await ask();
        expect(open.most()).toBe(8);
        expect(client.concurrency()).toEqual({ active: 0, window: 8 });
      },
      { maxConcurrency: 4 },
    );
  });

  it('halves the requests in flight at "limit", once per round, and recovers', async () => {
    let limited = true;
    const body = { access: {}, error_guard: 'limit', message_guard: 'slower' };
    await withApi(
      (_q, r) => void (limited ? setTimeout(() => reply(r, 403, body), 5) : reply(r, 200, { id: 1 })),
      async ({ client }) => {
        await Promise.all(Array.from({ length: 8 }, async (_, i) => rejection(client.v2.company(i))));
        expect(client.concurrency().window).toBe(4);
        limited = false;
        for (let i = 0; i < 40; i++) await client.v2.company(i);
        expect(client.concurrency().window).toBe(8);
      },
      { maxConcurrency: 8, maxRetries: 0 },
    );
  });

  it('completes open requests on close and rejects waiting ones', async () => {
    const open = countOpen();
    await withApi(
      open.handler,
      async ({ client }) => {
        const first = client.v2.company(1);
        const second = rejection(client.v2.company(2));
        await client.close();
        expect((await first).data).toEqual({ id: 1 });
        expect(await second).toBeInstanceOf(ClientClosedError);
        expect(await rejection(client.v2.company(3))).toBeInstanceOf(ClientClosedError);
      },
      { maxConcurrency: 1 },
    );
  });

  it('removes its listeners from a shared abort signal', async () => {
    await withApi(countOpen().handler, async ({ client }) => {
      const { signal } = new AbortController();
      const calls = Array.from({ length: 40 }, async (_, i) => client.v2.company(i, { signal }));
      expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
      await Promise.all(calls);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });
});

describe('ConcurrencyGate', () => {
  it('keeps the concurrency limit under any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('take', 'free', 'good', 'limit', 'grow', 'shrink')), async (events) => {
        const gate = new ConcurrencyGate(4);
        let max = 4;
        let held = 0;
        let last = 1;
        for (const event of events) {
          if (event === 'take') void gate.acquire(undefined).then((ticket) => ((held += 1), (last = ticket)));
          else if (event === 'free' && held > 0) {
            held -= 1;
            gate.release();
          } else if (event === 'good') gate.succeeded();
          else if (event === 'limit') gate.limited(last);
          else if (event === 'grow') gate.setMax((max = 6));
          else if (event === 'shrink') gate.setMax((max = 2));
          await new Promise((resolve) => setImmediate(resolve));
          expect(gate.window).toBeGreaterThanOrEqual(1);
          expect(gate.window).toBeLessThanOrEqual(max);
          expect(gate.active).toBe(held);
          expect(held).toBeLessThanOrEqual(6);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('serves waiting requests in order, skipping aborted ones', async () => {
    const gate = new ConcurrencyGate(1);
    await gate.acquire(undefined);
    const order: string[] = [];
    const giveUp = new AbortController();
    const waits = [
      gate.acquire(undefined).then(() => order.push('first')),
      gate.acquire(giveUp.signal).catch(() => order.push('gave up')),
      gate.acquire(undefined).then(() => order.push('third')),
    ];
    giveUp.abort();
    gate.release();
    await waits[0];
    gate.release();
    await Promise.all(waits);
    expect(order).toEqual(['gave up', 'first', 'third']);
  });
});

describe('Pacer', () => {
  it('spreads starts evenly without accumulating unused ones', () => {
    const pacer = new Pacer(50);
    expect([0, 0, 0].map((at) => pacer.reserve(at))).toEqual([0, 20, 40]);
    expect(pacer.reserve(1000)).toBe(0);
    expect(pacer.reserve(1005)).toBe(15);
    expect(new Pacer(undefined).reserve(5)).toBe(0);
  });
});

describe('Retry-After of "limit"', () => {
  it('delays every start while nothing is answered', () => {
    const pacer = new Pacer(undefined);
    pacer.limited(10_000, 30_000);
    expect(pacer.reserve(11_000)).toBe(29_000);
    expect(pacer.rateAt(39_000)).toBe(pacer.rateAt(40_000));
    expect(pacer.reserve(41_000)).toBe(0);
  });

  it('does not delay other requests while others are answered', () => {
    const pacer = new Pacer(100);
    for (let now = 9_500; now < 10_000; now += 10) pacer.succeeded(now);
    pacer.limited(10_000, 30_000);
    expect(pacer.reserve(10_100)).toBeLessThan(1_000);
  });

  it('delays other calls of the same client', async () => {
    await withApi(
      (_q, r) => reply(r, 429, { error_guard: 'limit', message_guard: 'slower' }, { 'retry-after': '3600' }),
      async ({ client, api }) => {
        await rejection(client.v2.company(1));
        const end = new AbortController();
        const held = rejection(client.v2.company(2, { signal: end.signal }));
        await new Promise((resolve) => setTimeout(resolve, 60));
        end.abort(new Error('enough'));
        await held;
        expect(api.seen).toHaveLength(1);
      },
      { maxRetries: 0 },
    );
  });
});

describe('the pace after "limit"', () => {
  // Simulates an API with a limit of requests per second and clients that each wait for their answer.
  const simulate = (allowed: number, lanes: number, latency: number, most?: number) => {
    const pacer = new Pacer(most);
    const counts = { sent: 0, refused: 0 };
    const free = Array.from({ length: lanes }, (_, i) => 1 + i / lanes);
    let second = -1;
    let taken = 0;
    for (let now = 1; now < 60_000;) {
      const lane = free.indexOf(Math.min(...free));
      now = free[lane]! + pacer.reserve(free[lane]!);
      const answered = now + latency;
      if (Math.floor(now / 1_000) !== second) [second, taken] = [Math.floor(now / 1_000), 0];
      const refused = ++taken > allowed;
      if (refused) pacer.limited(answered);
      else pacer.succeeded(answered);
      if (now > 10_000) {
        counts.sent++;
        if (refused) counts.refused++;
      }
      free[lane] = answered;
    }
    return { ...counts, perSecond: (counts.sent - counts.refused) / 50 };
  };

  it.each([
    [150, 8, 1],
    [150, 8, 40],
    [20, 16, 5],
    [2_000, 32, 2],
  ])('with %i a second allowed and %i in flight uses most and exceeds little', (allowed, lanes, latency) => {
    const { sent, refused, perSecond } = simulate(allowed, lanes, latency);
    expect(refused / sent).toBeLessThan(0.05);
    expect(perSecond).toBeGreaterThan(0.85 * Math.min(allowed, (1_000 * lanes) / latency));
  });

  it('halves the rate at "limit", but keeps one request a second', () => {
    const pacer = new Pacer(100);
    pacer.limited(10_000);
    expect(pacer.rateAt(10_000)).toBe(50);
    for (let now = 11_001; now < 30_000; now += 1_001) pacer.limited(now);
    expect(pacer.rateAt(29_000)).toBeGreaterThanOrEqual(1);
  });

  it('never exceeds the configured rate', () => {
    expect(simulate(1_000, 8, 1, 50).perSecond).toBeLessThanOrEqual(51);
  });

  it('recovers the rate after a long "limit"', () => {
    const pacer = new Pacer(undefined);
    for (let now = 1_000; now < 20_000; now += 500) pacer.limited(now);
    expect(pacer.rateAt(20_000)).toBeLessThan(2);
    expect(pacer.rateAt(20_000 + 20_000)).toBeGreaterThan(500);
  });
});
