import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categoricalField } from '../../../../../src/crawl/search/plan/split-field.js';
import { halve, Shape } from '../../../../../src/crawl/search/plan/shape.js';
import { Sweep } from '../../../../../src/crawl/search/plan/sweep.js';

/** A dimension of n positions with an even distribution. */
function evenField(n: number) {
  const splitField = categoricalField({ kind: 'categorical', key: 'k', values: [] }, Array.from({ length: n }), true);
  return { splitField, shape: new Shape(splitField, [{ from: 0, to: n - 1, count: 1 }]) };
}

const cap = 1_000;

function walk(
  counts: readonly number[],
  options: { windows?: boolean; expected?: number; answer?: (from: number, to: number) => number } = {},
) {
  const total = counts.reduce((sum, c) => sum + c, 0);
  const before = [0];
  for (const count of counts) before.push(before.at(-1)! + count);
  const { shape } = evenField(counts.length);
  const sweep = new Sweep({
    shape,
    from: 0,
    to: counts.length - 1,
    expected: options.expected ?? total,
    cap,
    most: () => 2 * total + cap,
    windows: options.windows ?? true,
  });
  const taken: { from: number; to: number; total: number; verdict: string }[] = [];
  let asked = 0;
  for (let window = sweep.next(); window; window = sweep.next()) {
    asked += 1;
    const count = options.answer?.(window.from, window.to) ?? before[window.to + 1]! - before[window.from]!;
    const verdict = sweep.learn(count);
    if (verdict !== 'narrow') taken.push({ ...window, total: count, verdict });
  }
  return { taken, asked, total, sweep };
}

describe('a sweep', () => {
  it('covers every position once with leaves and single-position spikes', () => {
    const density = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 90 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    );
    fc.assert(
      fc.property(fc.array(density, { minLength: 1, maxLength: 600 }), fc.boolean(), (counts, windows) => {
        const { taken, sweep } = walk(counts, { windows });
        expect(sweep.gaveUp).toBe(false);
        let at = 0;
        for (const window of taken) {
          expect(window.from).toBe(at);
          expect(window.to).toBeGreaterThanOrEqual(window.from);
          const isLeaf = window.total <= cap;
          expect(window).toMatchObject({ verdict: isLeaf ? 'leaf' : 'spike', to: isLeaf ? window.to : window.from });
          at = window.to + 1;
        }
        expect(at).toBe(counts.length);
      }),
    );
  });

  it('needs under 1.3 windows per page cap of companies', () => {
    const smooth = Array.from({ length: 5_000 }, (_, i) => 20 + Math.round(30 * Math.abs(Math.sin(i / 700))));
    const { asked, total } = walk(smooth);
    console.log(`sweep of ${total} companies: ${asked} windows for ${Math.ceil(total / cap)} caps`);
    expect(asked).toBeLessThan(1.3 * (total / cap));
  });

  it('finds a spike by halving', () => {
    const counts = Array.from({ length: 1_000 }, (_, i) => (i === 613 ? 30_000 : 10));
    const { asked, taken } = walk(counts);
    expect(taken.filter((w) => w.verdict === 'spike')).toEqual([
      { from: 613, to: 613, total: 30_000, verdict: 'spike' },
    ]);
    expect(asked).toBeLessThan(45);
  });

  it('needs few windows where no company was expected', () => {
    const { asked, taken } = walk(
      Array.from({ length: 1_000 }, () => 10),
      { expected: 0 },
    );
    expect(taken.at(-1)?.to).toBe(999);
    expect(asked).toBeLessThan(30);
  });

  it('ends for any totals', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { minLength: 1 }), (noise) => {
        let i = 0;
        const { asked } = walk(
          Array.from({ length: 10_000 }, () => 10),
          { answer: () => noise[i++ % noise.length]! },
        );
        expect(asked).toBeLessThan(2_000);
      }),
    );
  });

  it('narrows a window with a capped total even if it fits the page cap', () => {
    const { shape } = evenField(10);
    const ends = { from: 0, to: 9, expected: 500, cap, most: () => 11_000, windows: true };
    const capped = new Sweep({ shape, ...ends, totalsCap: () => 800 });
    expect(capped.next()).toEqual({ from: 0, to: 9 });
    expect(capped.learn(800)).toBe('narrow');
    const below = new Sweep({ shape, ...ends, totalsCap: () => 800 });
    below.next();
    expect(below.learn(799)).toBe('leaf');
  });

  it('skips a refused window', () => {
    const { shape } = evenField(10);
    const sweep = new Sweep({ shape, from: 0, to: 9, expected: 5_000, cap, most: () => 11_000, windows: true });
    const refused = sweep.next()!;
    sweep.skip();
    expect(sweep.next()!.from).toBe(refused.to + 1);
  });
});

describe('shapes in a sweep', () => {
  it('computes shares that add up and reach back to their position', () => {
    const parts = fc.array(fc.record({ width: fc.integer({ min: 1, max: 40 }), count: fc.nat(9_000) }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(parts, fc.nat(), fc.nat(), (list, a, b) => {
        let from = 0;
        const counts = list.map(({ width, count }) => ({ from, to: (from += width) - 1, count }));
        const { splitField } = evenField(from);
        const shape = new Shape(splitField, counts);
        const [low, high] = [Math.min(a % from, b % from), Math.max(a % from, b % from)];
        expect(shape.mass(0, from - 1)).toBeCloseTo(1, 9);
        expect(shape.mass(0, low) + shape.mass(low + 1, from - 1)).toBeCloseTo(1, 9);
        expect(shape.reach(low, shape.mass(low, high) + 1e-12)).toBeGreaterThanOrEqual(high);
      }),
    );
  });

  it('halves a window into two non-empty parts', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: 1, max: 500 }), (from, width) => {
        const { splitField } = evenField(from + width + 1);
        const middle = halve(splitField, { from, to: from + width });
        expect(middle).toBeGreaterThanOrEqual(from);
        expect(middle).toBeLessThan(from + width);
      }),
    );
  });
});
