import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { control, countRequests, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';

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

describe('a run that is cancelled', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;
  const cancelled: string[] = [];
  /** What the sandbox was asked by each of them, as it counts itself. */
  const answered = new Map<string, number>();

  const start = (id: string): Promise<WorkflowHandle> =>
    temporal.client.workflow.start('marketSnapshot', { taskQueue: 'tidemark-crawl', workflowId: id, args: [{}] });

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(MARKET)]);
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: {
        api: { baseUrl: sandbox.url, maxConcurrency: IN_FLIGHT },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
    });
    worker = await project.startWorker();
    await ((await start('snapshot/demo/first')).result() as Promise<RunResult>);
    await control(sandbox, 'faults', { route: '/v2/', kind: 'latency', latency: 50, times: 0 });
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it.each(PHASES)('while it is at %s leaves what readers have whole, and says so', async (name, where) => {
    for (let tried = 1; ; tried++) {
      const before = await countRequests(sandbox);
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
      // The moment of a short phase may be over when the message comes.
      if (end === 'done' && tried < TRIES) continue;
      expect(end).toBe('CancelledFailure');
      const runId = (await run.describe()).raw.workflowExecutionInfo?.execution?.runId ?? '';
      cancelled.push(runId);
      answered.set(runId, (await countRequests(sandbox)) - before);
      break;
    }
    await expectMarketEqualsTruth(project, MARKET);
  });

  // What was in flight then ends by its heartbeat, not by the cancellation, of which it never hears.
  it('while its worker is dead is cancelled all the same', async () => {
    await control(sandbox, 'faults', { route: '/v2/companies/', kind: 'latency', latency: 2_000, times: 0 });
    const run = await start('snapshot/demo/no-worker');
    await waitUntil('details are in flight', async () => {
      const { pendingActivities } = (await run.describe()).raw;
      return (
        pendingActivities?.some((one) => one.activityType?.name === 'crawlChunk' && one.lastHeartbeatTime) ?? false
      );
    });
    await worker.stop('SIGKILL');
    await run.cancel();
    worker = await project.startWorker();
    await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const { status, runId } = await run.describe();
    expect(status.name).toBe('CANCELLED');
    cancelled.push(runId);
  });

  it('is marked cancelled by the next run, which finds nothing amiss', async () => {
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    const result = (await (await start('snapshot/demo/last')).result()) as RunResult;
    expect(result.outcome).toBe('complete');
    await expectMarketEqualsTruth(project, MARKET);
    const filed = await project.query('SELECT run_id, outcome FROM ops.runs ORDER BY started_at');
    for (const run_id of cancelled) expect(filed).toContainEqual({ run_id, outcome: 'cancelled' });
    expect(cancelled).toHaveLength(PHASES.length + 1);
  });

  it('has booked what it sent and kept what was answered', async () => {
    const booked = await project.query(
      'SELECT run AS run_id, sum(requests)::INTEGER AS sent FROM ops.requests GROUP BY run',
    );
    for (const [run_id, count] of answered) {
      const sent = Number(booked.find((row) => row['run_id'] === run_id)?.['sent']);
      expect(sent).toBeGreaterThanOrEqual(count);
      // Given up in flight: perhaps never seen by the other side.
      expect(sent).toBeLessThanOrEqual(count + IN_FLIGHT);
    }
    const [, details] = cancelled;
    const [kept] = await project.query(`SELECT rows::INTEGER AS rows FROM ops.runs WHERE run_id = '${details}'`);
    // All but what the search, the lookups and the metrics took, and what was given up.
    expect(Number(kept?.['rows'])).toBeGreaterThanOrEqual(Number(answered.get(details!)) - IN_FLIGHT - 4);
    const files = readdirSync(path.join(project.dataDir, 'landing'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.ndjson'))).toEqual([]);
  });
});
