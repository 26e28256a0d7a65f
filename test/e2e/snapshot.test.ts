import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { queryFile } from '../helpers/project.js';
import { TARGET } from '../helpers/target.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

// A search shows ten pages of 25, so a market of 300 has to be split.
const MARKET = { companies: 300, tenders: 70, seed: 6, maxPerPage: 25 };

const CONFIG = {
  personalData: 'contacts',
  markets: [{ name: 'demo', streams: ['companies', 'financials', 'financials_v1'] }],
};

interface Night {
  result: RunResult;
  requests: number;
  /** Number of events in the history of the run's workflow. */
  events: number;
}

/**
 * Checks what a night costs. Counts do not depend on the machine, as times do. If a limit is exceeded, a night has become
 * more expensive: find out why before you raise the limit. The stub has another market.
 */
function expectCost(night: Night, most: Pick<Night, 'requests' | 'events'>): void {
  if (TARGET !== 'sandbox') return;
  expect(night.requests).toBeLessThanOrEqual(most.requests);
  expect(night.events).toBeLessThanOrEqual(most.events);
}

describe('market nights over HTTP, Temporal and DuckDB', () => {
  let system: System;
  let firstNight: Night;

  const run = async (type: string, id: string, input: object = {}): Promise<Night> => {
    const before = await system.api.requests();
    const result = await system.run(type, id, input);
    const requests = (await system.api.requests()) - before;
    const { historyLength: events } = await system.temporal.client.workflow.getHandle(id).describe();
    return { result, requests, events };
  };

  beforeAll(async () => {
    system = await startSystem({ market: MARKET, config: CONFIG });
    await run('tenderSnapshot', 'tenders/first');
    firstNight = await run('marketSnapshot', 'snapshot/demo/first');
  });

  afterAll(() => system?.stop());

  it('stores the market row for row as the API has it', async () => {
    await system.api.expectMarketEqualsTruth(system.project);
    await system.api.expectTendersEqualTruth(system.project);
    expect(await system.project.query('SELECT DISTINCT version FROM core.tenders_history')).toEqual([{ version: 1 }]);
  });

  it('stores v1 reports, and none disagrees with v2', async () => {
    await system.api.expectV1FinancialsEqualTruth(system.project);
    const [both] = await system.project.query(
      `SELECT count(*)::INTEGER AS n FROM core.financials AS a JOIN core.financials AS b USING (company_id, fiscal_year, indicator)
       WHERE a.source = 'v1' AND b.source = 'v2'`,
    );
    expect(both?.['n']).toBeGreaterThan(4_000);
    expect(await system.project.query('FROM marts.financials_disagreement')).toEqual([]);
    expect(await system.project.query(`SELECT company_id FROM marts.financials_wide WHERE source <> 'v2'`)).toEqual([]);
  });

  it('completes a market with all companies found', () => {
    const { coverage, outcome } = firstNight.result;
    expect(outcome).toBe('complete');
    expect(coverage).toEqual({
      reportedTotal: MARKET.companies,
      distinctCompanies: MARKET.companies,
      missing: 0,
      share: 1,
    });
  });

  it('sends one request for each company and report, and few others', () => {
    expectCost(firstNight, { requests: 3 * MARKET.companies + 80, events: 170 });
  });

  it('logs every request it sends', async () => {
    const [row] = await system.project.query(
      `SELECT sum(requests)::INTEGER AS n FROM ops.requests WHERE run = '${firstNight.result.run}'`,
    );
    expect(row).toEqual({ n: firstNight.requests });
  });

  it('comments every published table and column', async () => {
    const schemas = "schema_name IN ('core', 'marts', 'ops', 'meta')";
    expect(await system.project.query(`SELECT * FROM duckdb_columns() WHERE comment IS NULL AND ${schemas}`)).toEqual(
      [],
    );
    expect(await system.project.query(`SELECT * FROM duckdb_tables() WHERE comment IS NULL AND ${schemas}`)).toEqual(
      [],
    );
  });

  it('repeats a night with under a tenth of the requests and no change', async () => {
    const again = await run('marketSnapshot', 'snapshot/demo/first');
    expect(again.requests).toBeLessThan(firstNight.requests / 10);
    expectCost(again, { requests: 75, events: 110 });
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('keeps published tables readable in a loop during a publish', async () => {
    const publish = { running: true };
    let queries = 0;
    const reading = (async () => {
      while (publish.running) {
        // Opens a new reader each time, in addition to one that stays open.
        const [row] = await queryFile(system.project.published, 'SELECT count(*)::INTEGER AS n FROM core.companies');
        expect(row).toEqual({ n: MARKET.companies });
        queries++;
      }
    })();
    await run('tenderSnapshot', 'tenders/while-reading');
    publish.running = false;
    await reading;
    expect(queries).toBeGreaterThan(0);
  });

  it('reports companies that entered or left the market, and why they left', async () => {
    const days = 6;
    for (let day = 1; day <= days; day++) await system.api.advanceDay();
    const later = new Date(Date.now() + days * 86_400_000).toISOString();
    await system.worker.stop();
    await system.startWorker({ TIDEMARK_NOW: later });
    const { result } = await run('marketSnapshot', 'snapshot/demo/second');
    expect(result.date).toBe(later.slice(0, 10));

    const [before, after] = [0, days].map((day) => new Set(system.api.truthOf(day).companyIds)) as [
      Set<string>,
      Set<string>,
    ];
    const [night] = await system.project.query(
      'SELECT companies::INTEGER AS companies, entered::INTEGER AS entered, "left"::INTEGER AS gone FROM marts.market_daily ORDER BY date DESC LIMIT 1',
    );
    expect(night).toEqual({
      companies: after.size,
      entered: [...after].filter((id) => !before.has(id)).length,
      gone: [...before].filter((id) => !after.has(id)).length,
    });
    // The run asked the API for the records of those that left. It no longer has them.
    const reasons = await system.project.query("SELECT DISTINCT reason FROM marts.market_moves WHERE kind = 'left'");
    expect(night!['gone']).toBeGreaterThan(0);
    expect(reasons).toEqual([{ reason: 'gone' }]);
  });

  it('adds no market members under a past date', async () => {
    const members = 'SELECT count(*)::INTEGER AS n FROM marts.market_members';
    const before = await system.project.query(members);
    const { result } = await run('marketSnapshot', 'snapshot/demo/past', { date: '2026-01-15' });
    expect(result).toMatchObject({ asOfNow: false, date: '2026-01-15', coverage: null });
    expect(result.notes.join(' ')).toMatch(/2026-01-15 is in the past/);
    expect(await system.project.query(members)).toEqual(before);
  });

  it('rejects wrong input at once with the reason', async () => {
    const wrong = async (input: object): Promise<string> => {
      const failure: unknown = await run('marketSnapshot', 'snapshot/demo/wrong', input).catch(
        (error: unknown) => error,
      );
      return String((failure as { cause?: { cause?: Error } }).cause?.cause?.message ?? failure);
    };
    expect(await wrong({ market: 'nowhere' })).toMatch(/no market "nowhere".*declares: demo/);
    expect(await wrong({ marekt: 'demo' })).toMatch(/Unrecognized key: "marekt".*Allowed:/);
    expect(await wrong({ date: '2999-01-01' })).toMatch(/2999-01-01 is in the future/);
  });

  it('shows runs that failed at their input in the status, also of unknown markets and types', async () => {
    const start = async (type: string, id: string, input: unknown): Promise<unknown> =>
      run(type, id, input as object).catch(() => undefined);
    await start('marketSnapshot', 'typed by hand', { market: 'nowhere' });
    await start('marketSnapshot', 'snapshot/nowhere/2026-11-20', { market: 'nowhere' });
    await start('marketSnapshott', 'misspelt', {});
    await start('rebuildWarehouse', 'rebuild/by-hand', { from: 'yesterday' });
    // Started again with a valid input: no longer of interest.
    await start('tenderSnapshot', 'tenders/by-hand', { date: 'today' });
    await run('tenderSnapshot', 'tenders/by-hand', {});
    const read = async () =>
      (JSON.parse((await system.tidemark('status', '--json')).stdout) as { refusedInputs: Record<string, string>[] })
        .refusedInputs;
    await waitUntil('Temporal lists the failed runs', async () => (await read()).length >= 5);
    const refused = await read();
    expect(refused.map(({ workflowId, type }) => [workflowId, type])).toEqual([
      ['rebuild/by-hand', 'rebuildWarehouse'],
      ['misspelt', 'marketSnapshott'],
      ['snapshot/nowhere/2026-11-20', 'marketSnapshot'],
      ['typed by hand', 'marketSnapshot'],
      ['snapshot/demo/wrong', 'marketSnapshot'],
    ]);
    expect(refused[3]?.['error']).toMatch(/no market "nowhere"/);
    const { stdout } = await system.tidemark('status');
    expect(stdout).toMatch(
      /Ended {6}typed by hand \(marketSnapshot\): failed at its input .* ago\n {11}! .*no market "nowhere"/,
    );
  });
});
