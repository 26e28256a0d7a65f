import { realpathSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { CrawlChunkInput } from '../../schemas/pipeline/activities.js';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 200, tenders: 5, seed: 9 };

describe('operator commands', () => {
  let system: System;

  const start = (id: string): Promise<WorkflowHandle> => system.start('marketSnapshot', id);
  const clearFaults = () => system.api.clearFaults();
  const tidemark = (...args: string[]) => system.tidemark(...args);
  const phase = async (run: WorkflowHandle) => (await run.query<Progress>('progress')).phase;

  const chunkInputs = async (run: WorkflowHandle) => {
    const events = (await run.fetchHistory()).events ?? [];
    return events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
      const data = scheduled?.activityType?.name === 'crawlChunk' ? scheduled.input?.payloads?.[0]?.data : null;
      return data ? [JSON.parse(Buffer.from(data).toString()) as CrawlChunkInput] : [];
    });
  };

  beforeAll(async () => {
    system = await startSystem({
      market: { ...MARKET, dailyLimit: 120 },
      config: {
        quota: { probeEvery: '1s' },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
      // Two chunks of companies, two of reports.
      worker: { TIDEMARK_CHUNK_SIZE: '100' },
    });
  });

  afterAll(() => system?.stop());

  afterEach(() => clearFaults());

  it('waits at the daily limit and resumes afterwards', async () => {
    const run = await start('snapshot/demo/quota');
    await waitUntil('the run waits for the quota', async () => (await phase(run)) === 'waiting-for-quota');
    await waitUntil(
      'the list shows that the run waits',
      async () =>
        (
          await system.temporal.client.workflow.count(
            "TidemarkPhase = 'waiting-for-quota' AND TidemarkOutcome = 'running'",
          )
        ).count === 1,
    );
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
    // Each company once, plus the calls refused by the limit.
    expect(await system.api.requests('GET /v2/companies/{id}')).toBeLessThanOrEqual(MARKET.companies + 32);
  });

  it('pauses before the next chunk and continues on resume', async () => {
    const run = await start('snapshot/demo/paused');
    expect((await tidemark('pause')).stdout).toBe(
      'snapshot/demo/paused: pauses before its next chunk. Continue it with: tidemark resume --run snapshot/demo/paused\n',
    );
    await waitUntil('the run is paused', async () => (await phase(run)) === 'paused');
    const sent = await system.api.requests();
    expect((await tidemark('status')).stdout).toMatch(/paused.*\n.*`tidemark resume`/);
    expect(await system.api.requests()).toBe(sent);
    expect((await tidemark('concurrency', '5')).code).toBe(0);
    expect((await tidemark('resume', '--market', 'demo')).code).toBe(0);
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
    // The last two chunks run at the same time and share the concurrency.
    const inFlight = (await chunkInputs(run)).map(({ chunk, concurrency }) => ({ chunk, concurrency })).slice(-2);
    expect(inFlight).toEqual([
      { chunk: 0, concurrency: 2 },
      { chunk: 1, concurrency: 3 },
    ]);
  });

  it('stops after the requests in flight and leaves the market as it was', async () => {
    const members = () => system.project.query('SELECT run, count(*)::INTEGER AS n FROM ops.nights GROUP BY run');
    const before = await members();
    // Slow enough that the signal arrives while details are fetched, even on a slow machine.
    await system.api.answer({ route: '/v2/companies/', latency: 500 });
    const run = await start('snapshot/demo/stopped');
    await waitUntil('details are fetched', async () => {
      const { steps } = await run.query<Progress>('progress');
      return steps.some(({ name }) => name === 'companies');
    });
    expect((await tidemark('stop')).code).toBe(0);
    await clearFaults();
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'stopped', notes: [expect.stringMatching(/An operator stopped the run/)] });
    expect(await members()).toEqual(before);
    const [filed] = await system.project.query(
      `SELECT outcome, rows > 0 AS kept FROM ops.runs WHERE run_id = '${result.run}'`,
    );
    expect(filed).toEqual({ outcome: 'stopped', kept: true });
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('rejects a concurrency that no run can have', async () => {
    expect(await tidemark('concurrency', '10000000000')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/whole number from 0 to 512/),
    });
    expect((await tidemark('concurrency', '0.5')).code).toBe(2);
  });

  it('rejects an update of the concurrency that the run cannot use, and says why', async () => {
    const run = await start('snapshot/demo/update');
    await run.signal('pause');
    await waitUntil('the run is paused', async () => (await phase(run)) === 'paused');
    const set = (limit: unknown) => run.executeUpdate<number | null, [unknown]>('setConcurrency', { args: [limit] });
    const refused = (limit: unknown) =>
      set(limit).then(
        () => 'accepted',
        (error: unknown) => ((error as Error).cause as Error).message,
      );
    expect(await set(4)).toBe(4);
    expect(await set(0)).toBeNull();
    for (const odd of [10_000_000_000, 0.5, -3, 'many', null])
      expect(await refused(odd)).toBe(`setConcurrency takes a whole number from 0 to 512, not ${JSON.stringify(odd)}.`);
    expect(await refused(99)).toBe('Cannot set 99 requests in flight: api.maxConcurrency allows 16.');
    await run.signal('resume');
    expect(await run.result()).toMatchObject({ outcome: 'complete', notes: [] });
  });

  it('rejects a concurrency above the configured maximum', async () => {
    const refused = await tidemark('concurrency', '99');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/api\.maxConcurrency in .*tidemark\.yaml allows 16[^]*at most 16/);
  });

  it('stops a run whose search is being retried', async () => {
    for (const route of ['/v2/prospecting', '/v1/finder/companies']) {
      await system.api.answer({ route, status: 500, body: { detail: 'down' } });
    }
    const run = await start('snapshot/demo/stopped-in-vain');
    await waitUntil('the search has failed', async () => {
      const { raw } = await run.describe();
      return (raw.pendingActivities ?? []).some(({ attempt }) => Number(attempt) > 1);
    });
    await run.signal('stop');
    const result = (await run.result()) as RunResult;
    await clearFaults();
    expect(result.outcome).toBe('stopped');
  });

  it('stops a paused run', async () => {
    const run = await start('snapshot/demo/paused-and-stopped');
    await run.signal('pause');
    await waitUntil('the run is paused', async () => (await phase(run)) === 'paused');
    await run.signal('stop');
    expect(((await run.result()) as RunResult).outcome).toBe('stopped');
  });

  it('lists the open runs if a command matches none or several', async () => {
    expect(await tidemark('pause')).toMatchObject({ code: 2, stderr: expect.stringMatching(/No run is open/) });
    const runs = [await start('snapshot/demo/one'), await start('snapshot/demo/two')];
    await Promise.all(runs.map((run) => run.signal('pause')));
    expect(await tidemark('resume')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 open runs match.*--run\. Open runs: snapshot\/demo\/one, snapshot\/demo\/two/s),
    });
    for (const run of runs) {
      await tidemark('stop', '--run', run.workflowId);
      await run.result();
    }
  });

  it('rejects retry fetches only what failed', async () => {
    const [id] = system.api.truthOf(0).companyIds;
    const body = { detail: 'You do not have permission to perform this action.' };
    await system.api.answer({ route: `/v2/financial/${id}`, status: 403, body });
    const run = await start('snapshot/demo/rejects');
    expect(((await run.result()) as RunResult).outcome).toBe('partial');
    const partial =
      "TidemarkOutcome = 'partial' AND TidemarkPhase = 'done' AND TidemarkCoverage = 1 AND TidemarkRejects = 1";
    await waitUntil(
      'the list shows the run as partial',
      async () => (await system.temporal.client.workflow.count(partial)).count === 1,
    );
    const rejects = async () =>
      JSON.parse((await tidemark('rejects', '--list', '--json')).stdout) as { stream: string; entity_id: string }[];
    expect(await rejects()).toMatchObject([{ stream: 'financials', entity_id: id }]);
    expect((await tidemark('rejects', 'retry')).code).toBe(1);
    expect(await rejects()).toHaveLength(1);
    await clearFaults();
    const before = await system.api.requests('GET /v2/financial/{id}');
    const { code, stdout } = await tidemark('rejects', 'retry', '--streams', 'financials', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'complete', due: [{ stream: 'financials', due: 1 }] });
    expect((await system.api.requests('GET /v2/financial/{id}')) - before).toBe(1);
    expect(await rejects()).toEqual([]);
  });

  it('rejects retry without rejects says so and publishes nothing', async () => {
    const build = realpathSync(system.project.published);
    const none = await tidemark('rejects', 'retry');
    expect(none.stdout).toMatch(/✔ rejects\/.*: complete[^]*Nothing to retry/);
    expect(none.stdout).not.toMatch(/^ +published/m);
    expect(none.code).toBe(0);
    const run = await system.temporal.client.workflow.start('retryRejects', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'retry/by-hand',
      args: [{ streams: ['companies'] }],
    });
    expect(await run.result()).toMatchObject({ outcome: 'complete', published: null });
    const { events } = await run.fetchHistory();
    const activities = (events ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
    expect(activities).toEqual(['openRun', 'readQuota', 'planDue', 'closeRun']);
    expect(realpathSync(system.project.published)).toBe(build);
  });
});
