import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSystem, type System } from '../helpers/system.js';

const COMPANIES = 300;

// The API counts forty companies more than it lists.
describe('a night below the publish thresholds', () => {
  let system: System;
  let now = new Date();

  const tidemark = (...args: string[]) => system.tidemarkWith({ TIDEMARK_NOW: now.toISOString() }, ...args);
  const members = () =>
    system.project.query(
      'SELECT date::VARCHAR AS date, count(*)::INTEGER AS n FROM marts.market_members GROUP BY date ORDER BY 1',
    );
  const day = () => now.toISOString().slice(0, 10);

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: COMPANIES, tenders: 1 },
      config: { markets: [{ name: 'demo', streams: ['companies'], minCoverage: '95%' }] },
      worker: { TIDEMARK_NOW: now.toISOString() },
    });
  });

  afterAll(() => system?.stop());

  it('holds back the first night, keeps its records and reports the reason', async () => {
    await system.api.addToTotals(40);
    const { code, stdout } = await tidemark('snapshot');
    expect(stdout).toMatch(/partial, incomplete, held back/);
    expect(stdout).toMatch(/300 of at least 340 companies \(share unknown\), 40 missing/);
    expect(stdout).toMatch(/below minCoverage \(95 %\).*This market has no current night yet.*lower `minCoverage`/);
    expect(code).toBe(1);
    expect(await members()).toEqual([]);
    const { companyIds, hasDetails } = system.api.truthOf(0);
    expect(await system.project.query('SELECT count(*)::INTEGER AS n FROM core.companies WHERE has_details')).toEqual([
      { n: companyIds.filter(hasDetails).length },
    ]);
    expect((await tidemark('status')).stdout).toMatch(
      /partial, held back[\s\S]*below minCoverage \(95 %\).*`tidemark coverage --market demo`.*`tidemark snapshot --market demo`/,
    );
    expect((await tidemark('coverage')).stdout).toMatch(/Held back: the run found 300 of 340/);
  });

  it('publishes the repeated night once complete, fetching nothing twice', async () => {
    await system.api.clearFaults();
    const { code, stdout } = await tidemark('snapshot', '--json');
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', incomplete: false, heldBack: null });
    expect(result.due).toEqual([{ stream: 'companies', known: COMPANIES, due: 0, reasons: {} }]);
    expect(await members()).toEqual([{ date: day(), n: COMPANIES }]);
  });

  it('keeps the good night current when a later one falls short', async () => {
    const good = await members();
    await system.api.advanceDay();
    now = new Date(now.getTime() + 86_400_000);
    await system.worker.stop();
    await system.startWorker({ TIDEMARK_NOW: now.toISOString() });
    await system.api.addToTotals(40);
    const { code, stdout } = await tidemark('snapshot', '--json');
    expect(code).toBe(1);
    const result = JSON.parse(stdout) as RunResult;
    expect(result.incomplete).toBe(true);
    expect(result.heldBack).toMatch(new RegExp(`night of ${good[0]?.['date'] as string} stays current`));
    expect(await members()).toEqual(good);
    const runs = JSON.parse((await tidemark('runs', '--json')).stdout) as { held_back: boolean }[];
    expect(runs.map((run) => run.held_back)).toEqual([true, false, true]);
  });
});
