import { describe, expect, it } from 'vitest';
import { Plan, type PlanAnswer, type PlanRequest } from '../../../../../../src/crawl/search/plan/index.js';
import { incorporation, planInput } from '../crawl.js';

/** Answers page 1 by size; returns the sizes tried and the per_page of the first request for page 2. */
async function tried(perPage: number, obtained: (perPage: number) => number | 'refused', total = 5_000) {
  const sizes: number[] = [];
  let used: number | null = null;
  const send = async ({ purpose, filters, per_page }: PlanRequest): Promise<PlanAnswer | undefined> => {
    if (purpose !== 'calibration' || Object.keys(filters).length > 0) {
      used ??= per_page;
      return undefined;
    }
    sizes.push(per_page);
    const got = obtained(per_page);
    if (got === 'refused') return { refused: 'per_page: too large' };
    return { total, totalPages: Math.ceil(total / got), ids: Array.from({ length: got }, (_, i) => String(i)) };
  };
  await new Plan(planInput({ perPage, dimensions: [incorporation] }), send, 1).run();
  return { sizes, used };
}

describe('the page size', () => {
  it('uses the page size that came back', async () => {
    expect(await tried(1_000, (asked) => Math.min(asked, 100))).toEqual({ sizes: [1_000], used: 100 });
    expect(await tried(1_000, (asked) => asked)).toEqual({ sizes: [1_000], used: 1_000 });
    expect(await tried(30, (asked) => asked)).toEqual({ sizes: [30], used: 30 });
  });

  it('lowers a refused page size', async () => {
    expect(await tried(1_000, (asked) => (asked > 50 ? 'refused' : asked))).toEqual({
      sizes: [1_000, 500, 250, 100, 50],
      used: 50,
    });
  });

  it('retries page sizes when the API falls back to a small default', async () => {
    expect(await tried(1_000, (asked) => (asked > 100 ? 20 : asked))).toEqual({ sizes: [1_000, 100], used: 100 });
    expect(await tried(1_000, () => 25)).toEqual({ sizes: [1_000, 100, 50], used: 25 });
    expect(await tried(1_000, (asked) => (asked > 25 ? 10 : asked))).toEqual({ sizes: [1_000, 100, 50, 25], used: 25 });
  });

  it('blames the filters when every page size is refused', async () => {
    const result = await tried(1_000, () => 'refused');
    expect(result.used).toBeNull();
    expect(result.sizes).toEqual([1_000, 500, 250, 100, 50, 25, 10, 5, 1]);
  });
});
