import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRound, repeatOf, roomBeside } from '../../../workflows/run/chunk-rounds.js';

const at = (nextChunk: number) => ({ nextChunk, again: null });

const limits = { asked: null, room: null, workers: 1 };
const sumOf = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((sum, n) => sum + (n ?? 0), 0);

describe('nextRound', () => {
  it.each([
    ['two chunks at once', nextRound(at(0), 5, limits), [0, 1], 2, [null, null], [null, null]],
    ['the last chunk alone', nextRound(at(4), 5, limits), [4], 5, [null], [null]],
    ['one chunk for one request in flight', nextRound(at(0), 5, { ...limits, asked: 1 }), [0], 1, [1], [null]],
    ['shares of the requests in flight', nextRound(at(2), 5, { ...limits, asked: 5 }), [2, 3], 4, [2, 3], [null, null]],
    ['shares of the requests left', nextRound(at(2), 5, { ...limits, room: 7 }), [2, 3], 4, [null, null], [3, 4]],
  ])('starts %s', (_, round, chunks, next, concurrency, budgets) => {
    expect(round).toEqual({ chunks, next, concurrency, budgets });
  });

  it('starts two chunks for each worker', () => {
    const round = nextRound(at(2), 20, { ...limits, workers: 3 });
    expect(round).toMatchObject({ chunks: [2, 3, 4, 5, 6, 7], next: 8 });
  });

  it('starts the next chunks, and divides all limits among them', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 600 }));
    const some = fc.record({ asked: limit, room: limit, workers: fc.integer({ min: 2, max: 40 }) });
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 200 }), some, (first, left, given) => {
        const { chunks, next, concurrency, budgets } = nextRound(at(first), first + left, given);
        expect(chunks).toEqual(Array.from({ length: next - first }, (_, i) => first + i));
        expect(chunks.length).toBeGreaterThan(0);
        expect(chunks.length).toBeLessThanOrEqual(Math.min(left, 2 * given.workers));
        for (const [total, parts] of [
          [given.asked, concurrency],
          [given.room, budgets],
        ] as const) {
          expect(sumOf(parts)).toBe(total ?? 0);
          expect(parts.every((part) => part === null || part > 0)).toBe(true);
        }
      }),
    );
  });

  it('repeats chunks with all requests left, then continues after their round', () => {
    const again = { chunks: [2], next: 4 };
    // A lower concurrency must not end the round before chunk 3, which is done.
    const round = nextRound({ nextChunk: 2, again }, 5, { asked: 1, room: 7, workers: 1 });
    expect(round).toEqual({ chunks: [2], next: 4, concurrency: [1], budgets: [7] });
  });
});

describe('repeatOf', () => {
  const round = { chunks: [2, 3], next: 4 };
  const [done, unsure, sure] = [{}, { closed: { sure: false } }, { closed: { sure: true } }];
  it.each([
    ['no chunk if all were answered', null, [done, done], null],
    ['a chunk without any answer beside one with answers', null, [unsure, done], { chunks: [2], next: 4 }],
    ['no chunk if none was answered', null, [unsure, unsure], null],
    ['no chunk that is refused for sure', null, [sure, done], null],
    ['no chunk twice', { chunks: [2], next: 4 }, [unsure, done], null],
  ])('repeats %s', (_, again, results, expected) => {
    const numbered = results.map((result, i) => ({ ...result, chunk: 2 + i }));
    expect(repeatOf(round, again, numbered)).toEqual(expected);
  });
});

describe('roomBeside', () => {
  it.each([
    ['no limit without one', [null, null], null, null],
    ['what the other chunk may not send', [0, 40], 100, 60],
    ['nothing if the other chunk may send all', [0, 40], 30, 0],
  ])('returns %s', (_, budgets, room, expected) => {
    expect(roomBeside(budgets, room)).toBe(expected);
  });
});
