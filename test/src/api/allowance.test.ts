import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Allowance } from '../../../src/api/allowance.js';

/** Starts a request as soon as the allowance lets it, and returns when that is. */
function startAfter(allowance: Allowance, now: number): number {
  const at = now + allowance.wait(now);
  allowance.start(at);
  allowance.end();
  return at;
}

/** What may happen to an allowance. Numbers are milliseconds, or the place of a ticket. */
const events = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({ kind: fc.constantFrom('start' as const, 'end' as const, 'accepted' as const) }),
    fc.record({ kind: fc.constant('limited' as const), back: fc.nat(9), retryAfter: fc.nat(5_000) }),
    fc.record({
      kind: fc.constant('most' as const),
      max: fc.integer({ min: 1, max: 12 }),
      perSecond: fc.constantFrom(0.5, 3, 100, Infinity),
    }),
  ),
  { maxLength: 120 },
);

describe('Allowance', () => {
  it('keeps its maximums under any order of events', () => {
    fc.assert(
      fc.property(events, (all) => {
        const allowance = new Allowance(8);
        let [now, max, most, held] = [1_000, 8, Infinity, 0];
        let ticket = 0;
        for (const event of all) {
          if (event.kind === 'pass') now += event.ms;
          else if (event.kind === 'start' && allowance.wait(now) === 0) {
            expect(held).toBeLessThan(allowance.allowed);
            expect(allowance.heldMs(now)).toBe(0);
            ticket = allowance.start(now);
            held++;
          } else if (event.kind === 'end' && held > 0) {
            allowance.end();
            held--;
          } else if (event.kind === 'accepted') allowance.accepted(now);
          else if (event.kind === 'limited') allowance.limited(Math.max(1, ticket - event.back), now, event.retryAfter);
          else if (event.kind === 'most') {
            [max, most] = [event.max, event.perSecond];
            allowance.setMost(max, most);
          }
          expect(allowance.active).toBe(held);
          expect(allowance.allowed).toBeGreaterThanOrEqual(1);
          expect(allowance.allowed).toBeLessThanOrEqual(max);
          expect(allowance.rateAt(now)).toBeGreaterThanOrEqual(Math.min(1, most));
          expect(allowance.rateAt(now)).toBeLessThanOrEqual(most);
        }
        // Nothing stays slow for ever.
        now += 120_000;
        for (let n = 0; n < 200; n++) allowance.accepted(now);
        expect(allowance.isSlowed(now)).toBe(false);
      }),
    );
  });

  it('halves the requests in flight once for all that were in flight together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 64 }), fc.array(fc.nat(63), { minLength: 1 }), (max, limited) => {
        const allowance = new Allowance(max);
        const tickets = Array.from({ length: max }, () => allowance.start(1));
        for (const place of limited) allowance.limited(tickets[place % max]!, 2);
        expect(allowance.allowed).toBe(Math.floor(max / 2));
        for (const _ of tickets) allowance.end();
        const later = 60_000;
        allowance.limited(allowance.start(later), later);
        expect(allowance.allowed).toBe(Math.max(1, Math.floor(max / 4)));
      }),
    );
  });

  it('never starts more requests in a second than its pace', () => {
    const pauses = fc.array(fc.constantFrom(0, 0, 0, 1, 7, 40, 900), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), pauses, (perSecond, all) => {
        const allowance = new Allowance(8, perSecond);
        let now = 1;
        const starts = all.map((pause) => (now = startAfter(allowance, now + pause)));
        for (const [place, at] of starts.entries()) {
          const before = starts[place - perSecond];
          if (before !== undefined) expect(at - before).toBeGreaterThan(999.999);
        }
      }),
    );
  });

  it('spreads starts evenly without accumulating unused ones', () => {
    const allowance = new Allowance(8, 50);
    expect([1, 1, 1].map((at) => startAfter(allowance, at))).toEqual([1, 21, 41]);
    expect(startAfter(allowance, 1_000)).toBe(1_000);
    expect(startAfter(allowance, 1_005)).toBe(1_020);
  });

  it('makes up for a late timer', () => {
    const allowance = new Allowance(8, 1_000);
    allowance.start(1);
    for (let n = 0; n < 5; n++) {
      expect(allowance.wait(7)).toBe(0);
      allowance.start(2);
    }
    expect(allowance.wait(7)).toBe(0);
    allowance.start(2);
    expect(allowance.wait(7)).toBe(1);
  });
});

describe('Retry-After of `limit`', () => {
  it('delays every start while nothing is answered', () => {
    const allowance = new Allowance(8);
    allowance.limited(1, 10_000, 30_000);
    expect(allowance.wait(11_000)).toBe(29_000);
    expect(allowance.rateAt(39_000)).toBe(allowance.rateAt(40_000));
    expect(allowance.wait(41_000)).toBe(0);
  });

  it('does not delay other requests while others are answered', () => {
    const allowance = new Allowance(8, 100);
    for (let now = 9_500; now < 10_000; now += 10) allowance.accepted(now);
    allowance.limited(1, 10_000, 30_000);
    expect(allowance.wait(10_100)).toBe(0);
  });
});

describe('the pace after `limit`', () => {
  // Simulates an API with a limit of requests per second and clients that each wait for their answer.
  const simulate = (allowed: number, lanes: number, latency: number, most?: number) => {
    const allowance = new Allowance(lanes, most);
    const counts = { sent: 0, refused: 0 };
    /** Answers in the order of their arrival. */
    const open: { at: number; ticket: number; refused: boolean }[] = [];
    let [second, taken] = [-1, 0];
    for (let now = 1; now < 60_000;) {
      const wait = allowance.wait(now);
      const [next] = open;
      if (next && next.at <= now + wait) {
        now = next.at;
        open.shift();
        if (next.refused) allowance.limited(next.ticket, now);
        else allowance.accepted(now);
        allowance.end();
        continue;
      }
      now += wait;
      if (Math.floor(now / 1_000) !== second) [second, taken] = [Math.floor(now / 1_000), 0];
      const refused = ++taken > allowed;
      open.push({ at: now + latency, ticket: allowance.start(now), refused });
      if (now > 10_000) {
        counts.sent++;
        if (refused) counts.refused++;
      }
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

  it('never exceeds the configured rate', () => {
    expect(simulate(1_000, 8, 1, 50).perSecond).toBeLessThanOrEqual(51);
  });

  it('halves the rate at `limit`, but keeps one request a second', () => {
    const allowance = new Allowance(8, 100);
    allowance.limited(1, 10_000);
    expect(allowance.rateAt(10_000)).toBe(50);
    for (let now = 11_001; now < 30_000; now += 1_001) allowance.limited(1, now);
    expect(allowance.rateAt(29_000)).toBeGreaterThanOrEqual(1);
  });

  it('recovers after a long `limit`', () => {
    const allowance = new Allowance(8);
    for (let now = 1_000; now < 20_000; now += 500) allowance.limited(1, now);
    expect(allowance.rateAt(20_000)).toBeLessThan(2);
    expect(allowance.rateAt(20_000 + 20_000)).toBeGreaterThan(500);
    expect(allowance.rateAt(20_000 + 60_000)).toBe(Infinity);
  });

  it('stays slowed when the maximum rises and follows a lower one', () => {
    const free = new Allowance(8, 100);
    free.setMost(8, 200);
    expect(free.rateAt(1_000)).toBe(200);
    free.setMost(8, 50);
    expect(free.rateAt(1_000)).toBe(50);
    const slowed = new Allowance(8, 100);
    slowed.limited(1, 1_000);
    const rate = slowed.rateAt(1_000);
    expect(rate).toBeLessThan(100);
    slowed.setMost(8, 200);
    expect(slowed.rateAt(1_000)).toBe(rate);
  });
});
