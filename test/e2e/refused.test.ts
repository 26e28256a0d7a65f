import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../helpers/target.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 250, tenders: 40, seed: 5 };

// The key lacks one permission after another.
describe('a key without a permission', () => {
  let system: System;

  const may = (...permissions: Permission[]) => system.api.allow(...permissions);
  const tidemark = (...args: string[]) => system.tidemark(...args);

  beforeAll(async () => {
    system = await startSystem({
      market: { ...MARKET, permissions: ['prospecting', 'company_details', 'tenders'] },
      config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
    });
  });

  afterAll(() => system?.stop());

  it('without report permission reads the rest, names the permission, exits with 1', async () => {
    const run = await tidemark('snapshot', '--json');
    expect(run.code, run.stderr).toBe(1);
    const names = system.api.namesOf('financials');
    expect(names.permission).toMatch(/financial/i);
    const refused = {
      stream: 'financials',
      endpoint: 'GET /v2/financial/{id}',
      ...names,
      guard: 'permission',
    };
    const result = JSON.parse(run.stdout) as { outcome: string; notes: string[]; refused: { permission: string }[] };
    expect(result).toMatchObject({ outcome: 'partial', rejects: 0, coverage: { missing: 0 }, refused: [refused] });
    const sentence = expect.stringMatching(
      new RegExp(`^financials: this API key lacks the permission ".*", module "${names.module}"`),
    ) as string;
    expect(result.notes).toEqual([sentence]);
    // Two chunks of 500 start at the same time. Each sends three requests, and two to confirm the refusal.
    expect(await system.api.requests('GET /v2/financial/{id}')).toBeLessThanOrEqual(10);
    const { companyIds, hasDetails } = system.api.truthOf(0);
    expect(await system.project.query('SELECT count(*)::INTEGER AS n FROM core.companies WHERE has_details')).toEqual([
      { n: companyIds.filter(hasDetails).length },
    ]);
    expect(await system.project.query('SELECT count(*)::INTEGER AS n FROM ops.rejects')).toEqual([{ n: 0 }]);
    const [filed] = await system.project.query('SELECT refused, outcome FROM ops.runs');
    expect(JSON.parse(filed?.['refused'] as string)).toMatchObject([refused]);
    expect((await tidemark('status')).stdout).toMatch(/! financials: this API key lacks the permission/);
  });

  it('asks for refused reports again the next night', async () => {
    const before = await system.api.requests('GET /v2/financial/{id}');
    expect((await tidemark('snapshot')).code).toBe(1);
    expect(await system.api.requests('GET /v2/financial/{id}')).toBeLessThanOrEqual(before + 10);
    await may('prospecting', 'company_details', 'tenders', 'financials');
    const granted = await tidemark('snapshot', '--json');
    expect(granted.code, granted.stdout).toBe(0);
    expect(JSON.parse(granted.stdout)).toMatchObject({ outcome: 'complete', refused: [] });
    expect((await tidemark('status')).stdout).not.toContain('lacks');
  });

  it('ends tender and watch runs with the reason when permission is missing', async () => {
    await may('prospecting', 'company_details', 'financials');
    const tenders = await tidemark('tenders', '--json');
    expect(tenders.code).toBe(1);
    expect(JSON.parse(tenders.stdout)).toMatchObject({
      outcome: 'partial',
      refused: expect.arrayContaining([
        expect.objectContaining({ stream: 'tenders', endpoint: 'POST /v1/finder/tenders', permission: null }),
      ]) as object[],
    });
    const watch = await tidemark('watch', 'sync', '--json');
    expect(watch.code).toBe(1);
    expect(watch.stdout).toMatch(/watched_companies/);
  });

  it('fails at once without search permission, naming it', async () => {
    await may('company_details');
    const before = await system.api.requests('POST /v2/prospecting');
    const run = await tidemark('snapshot');
    expect(run.code).toBe(1);
    const { module } = system.api.namesOf('prospecting');
    expect(run.stderr).toMatch(
      new RegExp(`prospecting: this API key lacks the permission "[^"]+", module "${module}"`),
    );
    expect(await system.api.requests('POST /v2/prospecting')).toBeLessThanOrEqual(before + 5);
  });
});
