import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeSlowed, Limiter, NOT_SENT, type Limits } from '../../../src/api/limiter.js';
import { PendingCall } from '../../../src/api/pending-call.js';

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Asks for a slot and notes `name` in `order` when it is given. */
function ask(limiter: Limiter, order: string[], name: string, signal?: AbortSignal, isFree = false): void {
  Promise.resolve(limiter.acquire(isFree, new PendingCall(signal))).then(
    (ticket) => order.push(ticket === NOT_SENT ? `${name} not sent` : name),
    () => order.push(`${name} rejected`),
  );
}

describe('Limiter', () => {
  it('gives out slots in the order of the calls, and skips aborted ones', async () => {
    const limiter = new Limiter(1);
    const order: string[] = [];
    const gone = new AbortController();
    ask(limiter, order, 'a');
    ask(limiter, order, 'b', gone.signal);
    ask(limiter, order, 'c');
    gone.abort();
    await settled();
    limiter.release();
    await settled();
    expect(order).toEqual(['a', 'b rejected', 'c']);
    expect(limiter.limits).toMatchObject({ active: 1, waiting: 0 });
  });

  it('starts the requests of an earlier signal first, and free requests before all others', async () => {
    const limiter = new Limiter(1);
    const order: string[] = [];
    const [early, late] = [new AbortController().signal, new AbortController().signal];
    ask(limiter, order, 'early 1', early);
    ask(limiter, order, 'late 1', late);
    ask(limiter, order, 'early 2', early);
    ask(limiter, order, 'late 2', late);
    ask(limiter, order, 'free', late, true);
    ask(limiter, order, 'early 3', early);
    for (let n = 0; n < 6; n++) {
      await settled();
      limiter.release();
    }
    await settled();
    expect(order).toEqual(['early 1', 'free', 'early 2', 'early 3', 'late 1', 'late 2']);
  });

  it('sends only free requests after the daily limit, until it opens again', async () => {
    const limiter = new Limiter(1);
    const order: string[] = [];
    ask(limiter, order, 'a');
    ask(limiter, order, 'b');
    ask(limiter, order, 'free', undefined, true);
    limiter.stop('1,000 a day');
    await settled();
    ask(limiter, order, 'c');
    await settled();
    expect(order).toEqual(['a', 'b not sent', 'c not sent']);
    expect(limiter.dailyLimit).toBe('1,000 a day');
    limiter.release();
    await settled();
    limiter.release();
    limiter.open();
    ask(limiter, order, 'd');
    await settled();
    expect(order.slice(3)).toEqual(['free', 'd']);
  });

  it('rejects waiting calls and pauses when it closes', async () => {
    const limiter = new Limiter(1);
    const call = new PendingCall(undefined);
    await limiter.acquire(false, call);
    const waiting = [limiter.acquire(false, call), limiter.pause(60_000, undefined)];
    limiter.close(new Error('closed'));
    for (const one of waiting) await expect(one).rejects.toThrow('closed');
    expect(() => limiter.acquire(true, call)).toThrow('closed');
    await expect(limiter.pause(1, undefined)).rejects.toThrow('closed');
  });

  it('starts waiting requests when its share grows', async () => {
    const limiter = new Limiter(4);
    limiter.share({ workers: 4, rank: 0 });
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) ask(limiter, order, name);
    await settled();
    expect(order).toEqual(['a']);
    limiter.share({ workers: 2, rank: 0 });
    await settled();
    expect(order).toEqual(['a', 'b']);
  });

  it('starts all requests that are not aborted, and keeps no slot', async () => {
    const requests = fc.array(
      fc.record({
        signal: fc.nat(3),
        ticks: fc.nat(4),
        isFree: fc.boolean(),
        end: fc.constantFrom('accepted', 'limited', 'abort', 'other'),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), requests, async (max, all) => {
        // The pace never matters: a request a millisecond at least.
        const limiter = new Limiter(max, 1e9);
        const signals = Array.from({ length: 4 }, () => new AbortController());
        let [active, started, rejected] = [0, 0, 0];
        const send = async ({ signal, ticks, isFree, end }: (typeof all)[number]): Promise<void> => {
          const abort = signals[signal]!;
          const call = new PendingCall(abort.signal);
          const ticket = await limiter.acquire(isFree, call);
          started++;
          expect(++active).toBeLessThanOrEqual(max);
          for (let n = 0; n < ticks; n++) await Promise.resolve();
          if (end === 'accepted') limiter.allowance.accepted(performance.now());
          if (end === 'limited' && max > 1) limiter.allowance.limited(ticket, performance.now());
          if (end === 'abort') abort.abort();
          active--;
          limiter.release();
          call.end();
        };
        await Promise.all(all.map((request) => send(request).catch(() => rejected++)));
        expect(started + rejected).toBe(all.length);
        if (all.every(({ end }) => end !== 'abort')) expect(rejected).toBe(0);
        expect(limiter.limits).toMatchObject({ active: 0, waiting: 0 });
        limiter.close(new Error('end'));
      }),
    );
  });
});

describe('describeSlowed', () => {
  const limits: Limits = {
    active: 4,
    allowed: 4,
    max: 16,
    waiting: 60,
    perSecond: 12.4,
    heldMs: 0,
    isSlowed: true,
    isDailyLimit: false,
    workers: 1,
  };
  it.each<[Partial<Limits>, string | null]>([
    [{}, 'slowed by limit to 4 at a time, 12/s'],
    [{ perSecond: null }, 'slowed by limit to 4 at a time'],
    [{ heldMs: 24_000 }, 'the API asks to wait 24s'],
    [{ isSlowed: false }, null],
  ])('describes %j', (more, words) => {
    expect(describeSlowed({ ...limits, ...more })).toBe(words);
  });
});
