import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, queryFile, type Project } from '../helpers/project.js';
import { advanceDay, countRequests } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import {
  expectMarketEqualsTruth,
  expectTendersEqualTruth,
  expectV1FinancialsEqualTruth,
  truthOf,
} from '../helpers/truth.js';

// Ten pages of 25 show 250 companies of a search: a market of 1,500 has to be split.
const MARKET = { companies: 1_500, tenders: 70, seed: 5, 'max-per-page': 25 };

const CONFIG = {
  personalData: 'contacts',
  markets: [{ name: 'demo', streams: ['companies', 'financials', 'financials_v1'] }],
};

describe('nights of a market, over HTTP, Temporal and DuckDB', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;
  let firstNight: { result: RunResult; requests: number };

  const run = async (
    type: string,
    id: string,
    input: object = {},
  ): Promise<{ result: RunResult; requests: number }> => {
    const before = await countRequests(sandbox);
    const result = (await temporal.client.workflow.execute(type, {
      taskQueue: 'tidemark-crawl',
      workflowId: id,
      args: [input],
    })) as RunResult;
    return { result, requests: (await countRequests(sandbox)) - before };
  };

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(MARKET)]);
    project = makeProject({ api: sandbox, temporal: temporal.address, config: CONFIG });
    worker = await project.startWorker();
    await run('tenderSnapshot', 'tenders/first');
    firstNight = await run('marketSnapshot', 'snapshot/demo/first');
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('holds the market as the sandbox does, row for row', async () => {
    await expectMarketEqualsTruth(project, MARKET);
    await expectTendersEqualTruth(project, MARKET);
    expect(await project.query('SELECT DISTINCT version FROM core.tenders_history')).toEqual([{ version: 1 }]);
  });

  it('holds the v1 reports beside those of v2, and says that they agree', async () => {
    await expectV1FinancialsEqualTruth(project, MARKET);
    const [both] = await project.query(
      `SELECT count(*)::INTEGER AS n FROM core.financials AS a JOIN core.financials AS b USING (company_id, fiscal_year, indicator)
       WHERE a.source = 'v1' AND b.source = 'v2'`,
    );
    expect(both?.['n']).toBeGreaterThan(10_000);
    expect(await project.query('FROM marts.financials_disagreement')).toEqual([]);
    expect(await project.query(`SELECT company_id FROM marts.financials_wide WHERE source <> 'v2'`)).toEqual([]);
  });

  it('proves its coverage', () => {
    const { coverage, outcome } = firstNight.result;
    expect(outcome).toBe('complete');
    expect(coverage).toEqual({ reportedTotal: 1_500, distinctCompanies: 1_500, missing: 0, share: 1 });
  });

  it('books every request it sends', async () => {
    const [row] = await project.query(
      `SELECT sum(requests)::INTEGER AS n FROM ops.requests WHERE run = '${firstNight.result.run}'`,
    );
    expect(row).toEqual({ n: firstNight.requests });
  });

  it('comments every table and column', async () => {
    const schemas = "schema_name IN ('core', 'marts', 'ops', 'meta')";
    expect(await project.query(`SELECT * FROM duckdb_columns() WHERE comment IS NULL AND ${schemas}`)).toEqual([]);
    expect(await project.query(`SELECT * FROM duckdb_tables() WHERE comment IS NULL AND ${schemas}`)).toEqual([]);
  });

  it('spends under a tenth the same day again, and changes nothing', async () => {
    const again = await run('marketSnapshot', 'snapshot/demo/first');
    expect(again.requests).toBeLessThan(firstNight.requests / 10);
    await expectMarketEqualsTruth(project, MARKET);
  });

  it('lets a reader query in a loop during a publish', async () => {
    const publish = { running: true };
    let queries = 0;
    const reading = (async () => {
      while (publish.running) {
        // A new reader each time, as analysts come and go, beside the one that stays.
        const [row] = await queryFile(project.published, 'SELECT count(*)::INTEGER AS n FROM core.companies');
        expect(row).toEqual({ n: 1_500 });
        queries++;
      }
    })();
    await run('tenderSnapshot', 'tenders/while-reading');
    publish.running = false;
    await reading;
    expect(queries).toBeGreaterThan(0);
  });

  it('follows the market into the next night: who came, who left, what changed', async () => {
    await advanceDay(sandbox);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await worker.stop();
    worker = await project.startWorker({ TIDEMARK_NOW: tomorrow });
    const { result } = await run('marketSnapshot', 'snapshot/demo/second');
    expect(result.date).toBe(tomorrow.slice(0, 10));

    const world = truthOf(MARKET);
    const [before, after] = [new Set(world.companyIds(0)), new Set(world.companyIds(1))];
    const [night] = await project.query(
      'SELECT companies::INTEGER AS companies, entered::INTEGER AS entered, "left"::INTEGER AS gone FROM marts.market_daily ORDER BY date DESC LIMIT 1',
    );
    expect(night).toEqual({
      companies: after.size,
      entered: [...after].filter((id) => !before.has(id)).length,
      gone: [...before].filter((id) => !after.has(id)).length,
    });
  });

  it('files nothing as of now under a past date', async () => {
    const members = 'SELECT count(*)::INTEGER AS n FROM marts.market_members';
    const before = await project.query(members);
    const { result } = await run('marketSnapshot', 'snapshot/demo/past', { date: '2026-01-15' });
    expect(result).toMatchObject({ asOfNow: false, date: '2026-01-15', coverage: null });
    expect(result.notes.join(' ')).toMatch(/2026-01-15 is in the past/);
    expect(await project.query(members)).toEqual(before);
  });

  it('refuses a wrong input at once, in words', async () => {
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
});
