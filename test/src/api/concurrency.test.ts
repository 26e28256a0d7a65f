import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';

import { ClientClosedError, type LimitError } from '../../../src/api/index.js';
import { describeSlowed } from '../../../src/api/limiter.js';
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
      }, 60);
    },
    most: () => most,
    reset: () => {
      most = 0;
    },
  };
}

describe('requests in flight', () => {
  it('limits requests in flight over all routes and follows its share', async () => {
    const open = countOpen();
    await withApi(
      open.handler,
      async ({ client }) => {
        const ask = async (): Promise<unknown> =>
          Promise.all(
            Array.from({ length: 16 }, async (_, i) => (i % 2 ? client.v2.company(i) : client.v2.financial(i))),
          );
        await ask();
        expect(open.most()).toBe(8);
        client.share({ workers: 2, rank: 0 });
        open.reset();
        await ask();
        expect(open.most()).toBe(4);
        client.share({ workers: 1, rank: 0 });
        open.reset();
        await ask();
        expect(open.most()).toBe(8);
        expect(client.limits()).toMatchObject({ active: 0, allowed: 8, waiting: 0 });
      },
      { maxConcurrency: 8 },
    );
  });

  it('halves the requests in flight at "limit", once per round, and recovers', async () => {
    let limited = true;
    const body = { access: {}, error_guard: 'limit', message_guard: 'slower' };
    await withApi(
      (_q, r) => void (limited ? setTimeout(() => reply(r, 403, body), 5) : reply(r, 200, { id: 1 })),
      async ({ client }) => {
        await Promise.all(Array.from({ length: 8 }, async (_, i) => rejection(client.v2.company(i))));
        expect(client.limits().allowed).toBe(4);
        limited = false;
        for (let i = 0; i < 40; i++) await client.v2.company(i);
        expect(client.limits().allowed).toBe(8);
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

describe('waiting requests', () => {
  it('sends the requests of an earlier signal first, and metrics before all others', async () => {
    await withApi(
      countOpen().handler,
      async ({ client, api }) => {
        const [early, late] = [new AbortController(), new AbortController()];
        const call = ({ signal }: AbortController, from: number) =>
          [from, from + 1].map((id) => client.v2.company(id, { signal }));
        const calls = [...call(early, 10), ...call(late, 20), ...call(early, 12)];
        await Promise.all([...calls, rejection(client.v2.metrics({ signal: late.signal }))]);
        const order = api.seen.map(({ url }) => url.replace(/.*\//, ''));
        expect(order).toEqual(['10', 'metrics', '11', '12', '13', '20', '21']);
      },
      { maxConcurrency: 1 },
    );
  });

  it('sends none of them after the daily limit', async () => {
    const daily = { access: {}, error_guard: 'limits.daily', message_guard: '1,000 a day' };
    await withApi(
      (_q, r) => reply(r, 403, daily),
      async ({ client, api }) => {
        const calls = Array.from({ length: 20 }, (_, i) => rejection<LimitError>(client.v2.company(i)));
        const errors = await Promise.all(calls);
        expect(errors.map(({ guard }) => guard)).toEqual(errors.map(() => 'limits.daily'));
        expect(errors.at(-1)?.message).toContain('not sent, because the API said before: ');
        expect(api.seen).toHaveLength(1);
        expect([client.quota.isClosed, client.limits().isDailyLimit]).toEqual([true, true]);
        client.quota.open();
        await rejection(client.v2.company(1));
        expect(api.seen).toHaveLength(2);
      },
      { maxConcurrency: 1, stopAtDailyLimit: true },
    );
  });

  it('says what slows them', async () => {
    await withApi(
      (_q, r) => reply(r, 429, { error_guard: 'limit', message_guard: 'slower' }, { 'retry-after': '40' }),
      async ({ client }) => {
        expect(describeSlowed(client.limits())).toBeNull();
        await rejection(client.v2.company(1));
        expect(client.limits()).toMatchObject({ allowed: 4, max: 8, isSlowed: true });
        expect(describeSlowed(client.limits())).toMatch(/^the API asks to wait (40|39)s$/);
      },
      { maxConcurrency: 8, maxRetries: 0 },
    );
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
