import { describe, expect, it } from 'vitest';
import { nextRound, repeatOf, roomBeside } from '../../../workflows/run/chunk-rounds.js';

const at = (nextChunk: number) => ({ nextChunk, again: null });

describe('nextRound', () => {
  it.each([
    ['two chunks at once', nextRound(at(0), 5, null, null), [0, 1], 2, [null, null], null],
    ['the last chunk alone', nextRound(at(4), 5, null, null), [4], 5, [null], null],
    ['one chunk for one request in flight', nextRound(at(0), 5, 1, null), [0], 1, [1], null],
    ['shares of the requests in flight', nextRound(at(2), 5, 5, null), [2, 3], 4, [2, 3], null],
    ['shares of the requests left', nextRound(at(2), 5, null, 7), [2, 3], 4, [null, null], 4],
  ])('starts %s', (_, round, chunks, next, concurrency, budget) => {
    expect(round).toEqual({ chunks, next, concurrency, budget });
  });

  it('repeats chunks with all requests left, then continues after their round', () => {
    const again = { chunks: [2], next: 4 };
    // A lower concurrency must not end the round before chunk 3, which is done.
    const round = nextRound({ nextChunk: 2, again }, 5, 1, 7);
    expect(round).toEqual({ chunks: [2], next: 4, concurrency: [1], budget: 7 });
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
