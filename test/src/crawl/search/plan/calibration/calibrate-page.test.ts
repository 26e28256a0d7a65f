import { describe, expect, it } from 'vitest';
import { createPlan, type PlanAnswer } from '../../../../../../src/crawl/search/plan/index.js';
import { incorporation, planInput } from '../crawl.js';

/** Answers page 1 by size; returns the sizes tried and the per_page of the first request for page 2. */
function tried(perPage: number, obtained: (perPage: number) => number | 'refused', total = 5_000) {
  const plan = createPlan(planInput({ perPage, dimensions: [incorporation] }));
  const sizes: number[] = [];
  for (let request = plan.next(1)[0]; request && sizes.length < 20; request = plan.next(1)[0]) {
    if (request.purpose !== 'calibration' || Object.keys(request.filters).length > 0)
      return { sizes, used: request.per_page };
    sizes.push(request.per_page);
    const got = obtained(request.per_page);
    const answer: PlanAnswer =
      got === 'refused'
        ? { refused: 'per_page: too large' }
        : { total, totalPages: Math.ceil(total / got), ids: Array.from({ length: got }, (_, i) => String(i)) };
    plan.answer(request.key, answer);
  }
  return { sizes, used: null };
}

describe('the page size', () => {
  it('uses the page size that came back', () => {
    expect(tried(1_000, (asked) => Math.min(asked, 100))).toEqual({ sizes: [1_000], used: 100 });
    expect(tried(1_000, (asked) => asked)).toEqual({ sizes: [1_000], used: 1_000 });
    expect(tried(30, (asked) => asked)).toEqual({ sizes: [30], used: 30 });
  });

  it('lowers a refused page size', () => {
    expect(tried(1_000, (asked) => (asked > 50 ? 'refused' : asked))).toEqual({
      sizes: [1_000, 500, 250, 100, 50],
      used: 50,
    });
  });

  it('retries page sizes when the API falls back to a small default', () => {
    expect(tried(1_000, (asked) => (asked > 100 ? 20 : asked))).toEqual({ sizes: [1_000, 100], used: 100 });
    expect(tried(1_000, () => 25)).toEqual({ sizes: [1_000, 100, 50], used: 25 });
    expect(tried(1_000, (asked) => (asked > 25 ? 10 : asked))).toEqual({ sizes: [1_000, 100, 50, 25], used: 25 });
  });

  it('blames the filters when every page size is refused', () => {
    const result = tried(1_000, () => 'refused');
    expect(result.used).toBeNull();
    expect(result.sizes).toEqual([1_000, 500, 250, 100, 50, 25, 10, 5, 1]);
  });
});
