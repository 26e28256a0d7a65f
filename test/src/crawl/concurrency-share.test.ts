import { expect, it } from 'vitest';
import { heldBack } from '../../../src/crawl/concurrency-share.js';

it('holds back at most as many answers as requests are in flight, and at most 32', () => {
  for (const [inFlight, atOnce, most] of [
    [32, 2, 8],
    [16, 2, 4],
    [16, 1, 8],
    [100, 2, 8],
    [1, 2, 1],
  ] as const)
    expect(heldBack(inFlight, atOnce)).toBe(most);
});
