import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CarriedRun, QuotaGateState } from '../../schemas/pipeline/carried.js';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { executionsOf, type Execution } from '../helpers/executions.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 60, tenders: 5, seed: 9 };
const EVENTS = 40;
const OPEN_GATES = `WorkflowType = 'quotaGate' AND ExecutionStatus = 'Running'`;

describe(`runs that continue as new after ${EVENTS} events`, () => {
  let system: System;
  let companies: string[];
  /** Companies with a record; only their reports are requested. */
  let known: string[];

  const start = (workflowId: string, type = 'marketSnapshot', input: object = {}): Promise<WorkflowHandle> =>
    system.start(type, workflowId, input);
  const progress = (run: WorkflowHandle) => run.query<Progress>('progress');
  const reaches = (run: WorkflowHandle, phase: Progress['phase']) =>
    waitUntil(`the run is ${phase}`, async () => (await progress(run)).phase === phase);
  /** Sends signals until the run must continue as new at its next checkpoint. */
  const fillHistory = async (run: WorkflowHandle): Promise<void> => {
    for (let sent = 0; sent <= EVENTS; sent++) await run.signal('table', null);
  };
  const clearFaults = () => system.api.clearFaults();
  const detailRequests = () => system.api.requests('GET /v2/companies/{id}');
  const reportRequests = () => system.api.requests('GET /v2/financial/{id}');
  const carriedTo = ({ args }: Execution): CarriedRun => args[1] as CarriedRun;

  beforeAll(async () => {
    system = await startSystem({
      market: MARKET,
      config: {
        quota: { probeEvery: '1s' },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
      worker: { TIDEMARK_EVENTS_PER_RUN: String(EVENTS), TIDEMARK_CHUNK_SIZE: '10' },
    });
    const truth = system.api.truthOf(0);
    companies = truth.companyIds;
    known = companies.filter(truth.hasDetails);
  });

  afterAll(() => system?.stop());

  afterEach(() => clearFaults());

  /** Compares the figures of a run with its landing zone and with the tables. */
  async function expectFiguresAddUp(run: WorkflowHandle, result: RunResult): Promise<void> {
    const [filed] = await system.project.query(
      `SELECT outcome, requests::INTEGER AS requests, rows::INTEGER AS rows,
         (SELECT sum(requests)::INTEGER FROM ops.requests WHERE run = run_id) AS by_endpoint
       FROM ops.runs WHERE run_id = '${result.run}'`,
    );
    const { outcome, requests, rows } = result;
    expect(filed).toEqual({ outcome, requests, rows, by_endpoint: requests });
    const { steps, notes, requests: shown } = await progress(run);
    expect({ notes, requests: shown }).toEqual({ notes: result.notes, requests });
    if (outcome === 'stopped') return;
    expect(steps.map(({ name, done, total, state }) => ({ name, state, whole: done === total }))).toEqual(
      steps.map(({ name }) => ({ name, state: 'done', whole: true })),
    );
  }

  it('reads a whole market, each company once, over several executions', async () => {
    const run = await start('whole');
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', rejects: 0, notes: [] });
    expect(result.coverage).toMatchObject({ distinctCompanies: companies.length, missing: 0 });
    expect(result.due.map(({ stream, due }) => [stream, due])).toEqual([
      ['companies', companies.length],
      ['financials', known.length],
    ]);
    await system.api.expectMarketEqualsTruth(system.project);
    expect([await detailRequests(), await reportRequests()]).toEqual([companies.length, known.length]);
    await expectFiguresAddUp(run, result);

    const executions = await executionsOf(system.temporal, run);
    expect(executions.length).toBeGreaterThanOrEqual(3);
    // No listing, search or closing is repeated.
    const activities = executions.flatMap((execution) => execution.activities);
    for (const once of ['openRun', 'closeRun', 'loadLanding', 'publishWarehouse']) {
      expect(activities.filter((name) => name === once)).toEqual([once]);
    }
    // One listing reads the nomenclatures, the other the contact metrics.
    expect(activities.filter((name) => name === 'crawlListing')).toHaveLength(2);
    expect(activities.filter((name) => name === 'crawlChunk')).toHaveLength(
      Math.ceil(companies.length / 10) + Math.ceil(known.length / 10),
    );
    // Each execution continues the count of the previous one, up to the result.
    const landed = executions.slice(1).map((execution) => carriedTo(execution).landed);
    expect(landed).toEqual(landed.toSorted((a, b) => a - b));
    expect(landed[0]).toBeGreaterThan(0);
    expect(landed.at(-1)).toBeLessThanOrEqual(result.rows);
    const { typedSearchAttributes } = await run.describe();
    expect(JSON.stringify(typedSearchAttributes)).toMatch(new RegExp(`${result.date}.*demo|demo.*${result.date}`));
  });

  it('pauses and resumes over several executions, keeping the concurrency', async () => {
    const before = [await detailRequests(), await reportRequests()];
    const run = await start('paused');
    await run.signal('pause');
    await reaches(run, 'paused');
    expect(await run.executeUpdate('setConcurrency', { args: [4] })).toBe(4);
    const seen = new Set<string>();
    while (seen.size < 3) {
      await reaches(run, 'paused');
      seen.add((await run.describe()).runId);
      await fillHistory(run);
      await run.signal('resume');
      await run.signal('pause');
    }
    await reaches(run, 'paused');
    await run.signal('resume');
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', notes: [] });
    await system.api.expectMarketEqualsTruth(system.project);
    expect([await detailRequests(), await reportRequests()]).toEqual([
      (before[0] ?? 0) + companies.length,
      (before[1] ?? 0) + known.length,
    ]);
    await expectFiguresAddUp(run, result);
    const last = (await executionsOf(system.temporal, run)).at(-1);
    expect(last && carriedTo(last)).toMatchObject({ concurrency: 4, stopped: false });
  });

  it('waits for the daily quota while run and gate continue as new', async () => {
    const before = (await detailRequests()) + (await reportRequests());
    const refusedBefore = await refused();
    await system.api.setQuota({ dailyLimit: 40, used: 0 });
    const run = await start('limited');
    await reaches(run, 'waiting-for-quota');
    const [gate] = await openGates();
    expect(gate).toBeDefined();
    if (!gate) return;
    await waitUntil(
      'the gate continues as new twice',
      async () => (await executionsOf(system.temporal, gate)).length > 2,
    );
    await fillHistory(run);
    await system.api.setQuota({ dailyLimit: 80 });
    const told = await refused();
    await waitUntil('the limit is reached again', async () => (await refused()) > told);
    await reaches(run, 'waiting-for-quota');
    await fillHistory(run);
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', rejects: 0, notes: [] });
    await system.api.expectMarketEqualsTruth(system.project);
    // Each record once, plus the calls refused by the limit.
    const sent = (await detailRequests()) + (await reportRequests()) - before;
    expect(sent).toBe(companies.length + known.length + (await refused()) - refusedBefore);
    await expectFiguresAddUp(run, result);
    expect((await executionsOf(system.temporal, run)).length).toBeGreaterThanOrEqual(3);
    for (const { args } of (await executionsOf(system.temporal, gate)).slice(1)) {
      const state = args[0] as Required<QuotaGateState>;
      expect(state).toEqual({ waiting: [expect.anything()], pause: null, trying: null, refusals: 0 });
      expect(state.waiting.map(({ ctx }) => [ctx.workflowId, ctx.run])).toEqual([[run.workflowId, result.run]]);
    }
  });

  it('stays stopped after continue-as-new', async () => {
    const before = await detailRequests();
    // Slow enough that the pause arrives while details are fetched.
    await system.api.answer({ route: '/v2/companies/', latency: 300 });
    const run = await start('stopped');
    await waitUntil('details are fetched', async () => (await detailRequests()) > before);
    await run.signal('pause');
    await reaches(run, 'paused');
    await fillHistory(run);
    await run.signal('stop');
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'stopped', notes: [expect.stringMatching(/An operator stopped the run/)] });
    expect(await detailRequests()).toBeLessThan(before + companies.length);
    await expectFiguresAddUp(run, result);
    const executions = await executionsOf(system.temporal, run);
    const last = executions.at(-1);
    expect(executions.length).toBeGreaterThanOrEqual(2);
    expect(last && carriedTo(last)).toMatchObject({ stopped: true, paused: false, notes: result.notes });
    expect(last?.activities).toEqual(['readQuota', 'closeRun', 'loadLanding', 'buildModels', 'publishWarehouse']);
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('keeps failed records over several executions, and retries them over several', async () => {
    const failing = [companies[0], companies.at(-1)];
    const body = { detail: 'You do not have permission to perform this action.' };
    for (const id of failing) {
      await system.api.answer({ route: `/v2/financial/${id}`, status: 403, body });
    }
    const run = await start('failing');
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({
      outcome: 'partial',
      rejects: failing.length,
      notes: [expect.stringMatching(new RegExp(`^${failing.length} reports could not be fetched`))],
    });
    await expectFiguresAddUp(run, result);
    expect((await executionsOf(system.temporal, run)).length).toBeGreaterThanOrEqual(3);

    await clearFaults();
    const before = [await detailRequests(), await reportRequests()];
    const retry = await start('retry', 'retryRejects', { streams: ['companies', 'financials'] });
    await retry.signal('pause');
    await reaches(retry, 'paused');
    await fillHistory(retry);
    await retry.signal('resume');
    const retried = (await retry.result()) as RunResult;
    expect(retried).toMatchObject({ outcome: 'complete', rejects: 0, rows: failing.length, notes: [] });
    expect(retried.due.map(({ stream, due }) => [stream, due])).toEqual([
      ['companies', 0],
      ['financials', failing.length],
    ]);
    expect([await detailRequests(), await reportRequests()]).toEqual([before[0], (before[1] ?? 0) + failing.length]);
    expect((await executionsOf(system.temporal, retry)).length).toBeGreaterThanOrEqual(2);
    await expectFiguresAddUp(retry, retried);
    await system.api.expectMarketEqualsTruth(system.project);
  });

  /** Data calls answered with the daily limit. */
  async function refused(): Promise<number> {
    return system.api.dailyLimitAnswers();
  }

  async function openGates(): Promise<WorkflowHandle[]> {
    const gates: WorkflowHandle[] = [];
    await waitUntil('the gate is listed', async () => {
      for await (const { workflowId } of system.temporal.client.workflow.list({ query: OPEN_GATES })) {
        gates.push(system.temporal.client.workflow.getHandle(workflowId));
      }
      return gates.length > 0;
    });
    return gates;
  }
});
