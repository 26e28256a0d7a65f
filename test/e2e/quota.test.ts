import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 250, tenders: 40, seed: 9 };
const CONCURRENCY = 8;
// Requests for all records and reports; the search comes on top.
const WHOLE = 2 * MARKET.companies;

describe('a daily quota that is too small', () => {
  let system: System;

  const start = (type: string, input: object = {}): Promise<WorkflowHandle> =>
    system.start(type, `${type}/${JSON.stringify(input)}/${Math.round(performance.now())}`, input);
  const phase = async (run: WorkflowHandle) => (await run.query<Progress>('progress')).phase;
  const waits = (run: WorkflowHandle) =>
    waitUntil('the run waits for the quota', async () => (await phase(run)) === 'waiting-for-quota');
  /** Data calls answered with the daily limit. */
  const refused = () => system.api.dailyLimitAnswers();

  beforeAll(async () => {
    system = await startSystem({
      market: { ...MARKET, dailyLimit: 1 },
      config: {
        api: { maxConcurrency: CONCURRENCY },
        quota: { probeEvery: '1s', reserve: '10%' },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
    });
  });

  afterAll(() => system?.stop());

  it('waits for the daily quota five times and ends with the same tables', async () => {
    const run = await start('marketSnapshot');
    const share = Math.ceil(WHOLE / 5);
    for (let day = 1; day <= 5; day++) {
      await waits(run);
      const before = await system.api.requests('GET /v2/companies/{id}');
      const told = await refused();
      // Each request in flight at the limit was refused once, and none was sent after.
      expect(told).toBeLessThanOrEqual(day * CONCURRENCY);
      expect(await system.api.requests('GET /v2/companies/{id}')).toBe(before);
      await system.api.setQuota({ dailyLimit: day * share });
    }
    await waits(run);
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    // Another user of the same key.
    for (let call = 0; call < 60; call++) {
      await fetch(`${system.api.url}/v2/financial/1`, { headers: { authorization: `Token ${system.api.key}` } });
    }
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    expect(result.notes).toEqual([expect.stringMatching(/The API counted \d+ .* sent the other \d+\./)]);
    const [found] = await system.project.query('SELECT overuse::INTEGER AS overuse FROM ops.quota_overuse');
    // The overuse may be lower than 60: the run sent calls that the API refused and did not count.
    expect(found?.['overuse']).toBeGreaterThan(60 - 6 * CONCURRENCY);
    expect(found?.['overuse']).toBeLessThanOrEqual(60);
    await system.api.expectMarketEqualsTruth(system.project);
    const asked = await system.api.requests('GET /v2/companies/{id}');
    expect(asked).toBeLessThanOrEqual(MARKET.companies + 6 * CONCURRENCY);
  });

  it('polls the quota once for all runs and wakes them by priority', async () => {
    await system.api.setQuota({ dailyLimit: 1 });
    const order: string[] = [];
    const watch = (name: string, run: WorkflowHandle) =>
      waitUntil(`${name} goes on`, async () => (await phase(run)) !== 'waiting-for-quota').then(() => order.push(name));
    const backfill = await start('backfill', { from: '2026-01-01', to: '2026-01-02', streams: ['tenders'] });
    await waits(backfill);
    const tenders = await start('tenderSnapshot');
    await waits(tenders);
    const snapshot = await start('marketSnapshot');
    await waits(snapshot);
    const gates: string[] = [];
    for await (const { workflowId } of system.temporal.client.workflow.list({
      query: `WorkflowType = 'quotaGate' AND ExecutionStatus = 'Running'`,
    }))
      gates.push(workflowId);
    expect(gates).toHaveLength(1);
    expect(gates[0]).toMatch(/^quota\/[0-9a-f]{16}$/);
    const probes = await system.api.requests('GET /v2/metrics');
    await waitUntil('the gate asks', async () => (await system.api.requests('GET /v2/metrics')) >= probes + 3);
    const going = [watch('backfill', backfill), watch('tenders', tenders), watch('snapshot', snapshot)];
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    await Promise.all(going);
    expect(order).toEqual(['snapshot', 'tenders', 'backfill']);
    await Promise.all([backfill.result(), tenders.result(), snapshot.result()]);
  });

  it('keeps a backfill waiting while only the reserve is left', async () => {
    const used = await system.api.quotaUsed();
    // Twice the reserve of 10 % is more than what is left.
    await system.api.setQuota({ dailyLimit: Math.ceil(used / 0.85) });
    const backfill = await start('backfill', { from: '2026-01-01', to: '2026-01-02', streams: ['tenders'] });
    await waits(backfill);
    const tenders = await start('tenderSnapshot');
    expect(((await tenders.result()) as RunResult).outcome).toBe('complete');
    expect(await phase(backfill)).toBe('waiting-for-quota');
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    await backfill.result();
  });

  it('ends a waiting run at once when cancelled and files it as cancelled', async () => {
    await system.api.setQuota({ dailyLimit: 1 });
    const run = await start('marketSnapshot');
    await waits(run);
    await run.cancel();
    await expect(run.result()).rejects.toThrow(/cancelled/i);
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    await (await start('tenderSnapshot')).result();
    const runs = await system.project.query(`SELECT outcome FROM ops.runs WHERE workflow_id = '${run.workflowId}'`);
    expect(runs).toEqual([{ outcome: 'cancelled' }]);
  });

  it('tries one run at intervals when the API gives no quota figure', async () => {
    await system.worker.stop();
    const config = readFileSync(system.project.env['TIDEMARK_CONFIG'] ?? '', 'utf8');
    const file = path.join(system.project.dir, 'no-figure.yaml');
    writeFileSync(file, config.replace('probeEvery:', 'metric: no_such_metric\n  probeEvery:'));
    await system.startWorker({ TIDEMARK_CONFIG: file });
    await system.api.setQuota({ dailyLimit: 1 });
    const run = await start('marketSnapshot');
    await waits(run);
    const told = await refused();
    await waitUntil('it has tried again', async () => (await refused()) > told);
    await waits(run);
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
  });
});
