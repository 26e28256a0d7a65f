import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 150, tenders: 2, seed: 13 };
const TRIES = 10;
const IN_FLIGHT = 8;

type Where = (progress: Progress) => boolean;
const PHASES: [name: string, where: Where][] = [
  ['the search', ({ steps }) => steps.some(({ name, state }) => name === 'search' && state === 'running')],
  ['details', ({ steps }) => steps.some(({ name, state }) => name === 'companies' && state === 'running')],
  ['closing', ({ steps }) => steps.length > 0 && steps.every(({ state }) => state === 'done')],
  ['loading', ({ phase }) => phase === 'loading'],
  ['modelling', ({ phase }) => phase === 'modelling'],
  ['publishing', ({ phase }) => phase === 'publishing'],
];

describe('a cancelled run', () => {
  let system: System;
  const cancelled: string[] = [];
  /** Requests of each cancelled run, as the API counts them. */
  const answered = new Map<string, number>();

  const start = (id: string): Promise<WorkflowHandle> => system.start('marketSnapshot', id);

  beforeAll(async () => {
    system = await startSystem({
      market: MARKET,
      config: {
        api: { maxConcurrency: IN_FLIGHT },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
    });
    await system.run('marketSnapshot', 'snapshot/demo/first');
    await system.api.answer({ route: '/v2/', latency: 50 });
  });

  afterAll(() => system?.stop());

  it.each(PHASES)('cancelled during %s, a run leaves the published tables unchanged', async (name, where) => {
    for (let tried = 1; ; tried++) {
      const before = await system.api.requests();
      const run = await start(`snapshot/demo/${name.replace(' ', '-')}-${tried}`);
      await waitUntil(
        `the run is at ${name}`,
        async () => {
          const { status } = await run.describe();
          return status.name !== 'RUNNING' || where(await run.query<Progress>('progress'));
        },
        { everyMs: 5 },
      );
      await run.cancel();
      const end = await run.result().then(
        () => 'done',
        (error: unknown) => (error instanceof WorkflowFailedError ? error.cause?.name : String(error)),
      );
      // A short phase may be over before the cancellation arrives.
      if (end === 'done' && tried < TRIES) continue;
      expect(end).toBe('CancelledFailure');
      const runId = (await run.describe()).raw.workflowExecutionInfo?.execution?.runId ?? '';
      cancelled.push(runId);
      answered.set(runId, (await system.api.requests()) - before);
      break;
    }
    await system.api.expectMarketEqualsTruth(system.project);
  });

  // The requests in flight end by heartbeat timeout, because the dead worker never sees the cancellation.
  it('cancels a run whose worker is dead', async () => {
    await system.api.answer({ route: '/v2/companies/', latency: 2_000 });
    const run = await start('snapshot/demo/no-worker');
    await waitUntil('details are in flight', async () => {
      const { pendingActivities } = (await run.describe()).raw;
      return (
        pendingActivities?.some((one) => one.activityType?.name === 'crawlChunk' && one.lastHeartbeatTime) ?? false
      );
    });
    await system.worker.stop('SIGKILL');
    await run.cancel();
    await system.startWorker();
    await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const { status, runId } = await run.describe();
    expect(status.name).toBe('CANCELLED');
    cancelled.push(runId);
  });

  it('files cancelled runs as cancelled when the next run succeeds', async () => {
    await system.api.clearFaults();
    const result = (await (await start('snapshot/demo/last')).result()) as RunResult;
    expect(result.outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
    const filed = await system.project.query('SELECT run_id, outcome FROM ops.runs ORDER BY started_at');
    for (const run_id of cancelled) expect(filed).toContainEqual({ run_id, outcome: 'cancelled' });
    expect(cancelled).toHaveLength(PHASES.length + 1);
  });

  it('counts the requests and keeps the answers of a cancelled run', async () => {
    const booked = await system.project.query(
      'SELECT run AS run_id, sum(requests)::INTEGER AS sent FROM ops.requests GROUP BY run',
    );
    for (const [run_id, count] of answered) {
      const sent = Number(booked.find((row) => row['run_id'] === run_id)?.['sent']);
      expect(sent).toBeGreaterThanOrEqual(count);
      // Requests cancelled in flight; the API may never have seen them.
      expect(sent).toBeLessThanOrEqual(count + IN_FLIGHT);
    }
    const [, details] = cancelled;
    const [kept] = await system.project.query(`SELECT rows::INTEGER AS rows FROM ops.runs WHERE run_id = '${details}'`);
    // Everything except the requests of search, lookup lists and metrics, and those cancelled in flight.
    expect(Number(kept?.['rows'])).toBeGreaterThanOrEqual(Number(answered.get(details!)) - IN_FLIGHT - 4);
    const files = readdirSync(system.project.landing, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.spool'))).toEqual([]);
  });
});
