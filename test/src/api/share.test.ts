import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApiClient } from '../../../src/api/index.js';
import { shareOf } from '../../../src/api/limiter.js';
import { heldBack, mostInFlight } from '../../../src/crawl/records/deps.js';
import { placeOf } from '../../../src/temporal/worker/at-work.js';

const workers = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 20 });
const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

describe('the share of a worker', () => {
  it('adds up to the whole limit when all workers count the same', () => {
    const limit = fc.integer({ min: 20, max: 512 });
    fc.assert(
      fc.property(workers, limit, (all, most) => {
        const shares = all.map((identity) => shareOf(most, placeOf(identity, all)));
        expect(sumOf(shares)).toBe(most);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('never adds up to more than the limit while some workers still count ended ones', () => {
    const views = fc.tuple(workers, fc.array(workers, { minLength: 20, maxLength: 20 }));
    fc.assert(
      fc.property(views, fc.integer({ min: 20, max: 512 }), ([all, ended], most) => {
        const shares = all.map((identity, i) => shareOf(most, placeOf(identity, [...all, ...(ended[i] ?? [])])));
        expect(sumOf(shares)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('is at least 1 and at most the limit', () => {
    fc.assert(
      fc.property(workers, fc.integer({ min: 1, max: 512 }), (all, most) => {
        for (const identity of all) {
          const share = shareOf(most, placeOf(identity, all));
          expect(share).toBeGreaterThanOrEqual(1);
          expect(share).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  it('is the most that an activity may use', async () => {
    const client = createApiClient({ baseUrl: 'http://localhost', apiKey: 'k', maxConcurrency: 16 });
    const of = (asked: number | null, count = 1) => {
      client.share({ workers: count, rank: 0 });
      return mostInFlight({ client }, asked);
    };
    expect([of(null), of(3), of(40), of(0), of(null, 2), of(3, 2), of(12, 2)]).toEqual([16, 3, 16, 16, 8, 3, 8]);
    await client.close();
  });
});

it('holds back at most as many answers as requests are in flight, and at most 32', () => {
  for (const [inFlight, most] of [
    [32, 16],
    [16, 8],
    [100, 16],
    [1, 1],
  ] as const)
    expect(heldBack(inFlight)).toBe(most);
});
