import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSystem, type System } from '../helpers/system.js';

const COMPANIES = 2_500;
const CLONES = 2_000;
// Of the identical companies a search shows ten pages of a hundred.
const SHOWN = 1_000;

describe('a market with 2,000 identical companies that no filter can separate', () => {
  let system: System;

  const tidemark = (...args: string[]) => system.tidemark(...args);

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: COMPANIES, clones: CLONES, tenders: 1, maxPerPage: 100 },
      config: { markets: [{ name: 'demo', streams: ['companies'] }] },
    });
    // Version 1 would list all companies page by page, but this key may not use it.
    await system.api.answer({ route: '/v1/finder/companies', status: 403 });
  });

  afterAll(() => system?.stop());

  it('publishes the companies it can list, reports "incomplete" and exits with 1', async () => {
    const { code, stdout } = await tidemark('snapshot');
    expect(stdout).toMatch(/: partial, incomplete\n/);
    expect(stdout).toMatch(/1,500 of 2,500 companies \(60 %\), 1,000 missing/);
    expect(code).toBe(1);
    // The night becomes current although companies are missing.
    const { hasDetails } = system.api.truthOf(0);
    const ids = async (sql: string) => (await system.project.query(sql)).map(({ id }) => id as string).toSorted();
    const members = await ids('SELECT company_id::VARCHAR AS id FROM marts.market_members');
    expect(members).toHaveLength(COMPANIES - CLONES + SHOWN);
    expect(await ids('SELECT company_id::VARCHAR AS id FROM core.companies WHERE has_details')).toEqual(
      members.filter(hasDetails),
    );
  });

  it('reports the missing companies with filters and count', async () => {
    const { stdout } = await tidemark('coverage');
    expect(stdout).toMatch(/1,000 missing, un(splittable|proven): /);
    expect(stdout).toMatch(/filters \{"/);
    const [told] = JSON.parse((await tidemark('coverage', '--json')).stdout) as {
      why: { missing: number; filters: object }[];
      certificate: Record<'proven' | 'unsplittable' | 'unproven' | 'moved', { found: number; missing: number }>;
    }[];
    expect(told?.why.reduce((sum, gap) => sum + gap.missing, 0)).toBe(CLONES - SHOWN);
    const classes = Object.values(told?.certificate ?? {}).filter((count) => typeof count === 'object');
    expect(classes.reduce((sum, { found }) => sum + found, 0)).toBe(COMPANIES - CLONES + SHOWN);
    expect(classes.reduce((sum, { missing }) => sum + missing, 0)).toBe(CLONES - SHOWN);
  });

  it('stops searching identical companies within 250 requests', async () => {
    // 25 pages could list the market.
    expect(await system.api.requests('POST /v2/prospecting')).toBeLessThan(250);
  });

  it('repeats an incomplete night at no higher cost and fetches nothing twice', async () => {
    const before = await system.api.requests();
    const { code, stdout } = await tidemark('snapshot', '--json');
    expect(code).toBe(1);
    const result = JSON.parse(stdout) as RunResult;
    expect(result).toMatchObject({ incomplete: true, heldBack: null });
    expect(result.due[0]).toMatchObject({ known: COMPANIES - CLONES + SHOWN, due: 0 });
    expect((await system.api.requests()) - before).toBeLessThan(300);
  });
});
