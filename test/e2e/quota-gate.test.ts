import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { openStorage } from '../../src/store/open.js';
import { isBucket } from '../../src/store/places.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const REFUSED = { route: '/v2/metrics', status: 401, body: { detail: 'Invalid token.' } };

const OPEN_GATES = `WorkflowType = 'quotaGate' AND ExecutionStatus = 'Running'`;

describe('the quota gate', () => {
  let system: System;
  let started = 0;

  const start = (type: string, input: object = {}): Promise<WorkflowHandle> =>
    system.start(type, `${type}/${++started}`, input);
  const startWaiting = async (type: string, input: object = {}): Promise<WorkflowHandle> => {
    const run = await start(type, input);
    await waits(run);
    return run;
  };
  const waits = (run: WorkflowHandle) =>
    waitUntil('the run waits for the quota', async () => {
      return (await run.query<Progress>('progress')).phase === 'waiting-for-quota';
    });
  const useUp = () => system.api.setQuota({ dailyLimit: 1, used: 1 });
  const giveRoom = () => system.api.setQuota({ dailyLimit: 1_000_000 });
  const clearFaults = () => system.api.clearFaults();
  /** Number of requests that met an ordered fault. */
  const struck = () => system.api.faultsMet();
  /** Data calls answered with the daily limit. */
  const refused = () => system.api.dailyLimitAnswers();

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: 40, tenders: 5, seed: 4 },
      config: {
        quota: { probeEvery: '1s' },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
      worker: null,
    });
    const { data } = parse(readFileSync(system.project.env['TIDEMARK_CONFIG'] ?? '', 'utf8')) as { data: string };
    const storage = openStorage(isBucket(data) ? data : system.project.dataDir, {}, system.project.env);
    await storage.create('resolve/a.csv', Buffer.from('name,country\nNobody a,DK\n'));
    await system.startWorker();
  });

  afterAll(() => system?.stop());

  it('keeps asking for the quota after a refused reading', async () => {
    await useUp();
    const run = await startWaiting('tenderSnapshot');
    await system.api.answer({ ...REFUSED, times: 1 });
    await waitUntil('the question is refused', async () => (await struck()) === 1);
    await clearFaults();
    await giveRoom();
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
  });

  it('restarts a terminated quota gate for the waiting runs', async () => {
    await useUp();
    const run = await startWaiting('tenderSnapshot');
    await waitUntil('the gate is there', async () => (await terminateGates()) > 0);
    await giveRoom();
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
  });

  it('accepts an API clock that is days off while waiting for quota', async () => {
    await useUp();
    const run = await startWaiting('tenderSnapshot');
    const date = new Date(Date.now() - 3 * 86_400_000).toUTCString();
    await system.api.answer({ route: '/v2/metrics', latency: 0, headers: { date } });
    await waitUntil('the gate is told', async () => (await struck()) > 0);
    await giveRoom();
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', notes: [expect.stringMatching(/clock .* 3 days ahead/)] });
    await clearFaults();
  });

  it.each([
    ['resume', 'complete'],
    ['stop', 'stopped'],
  ])('keeps a run paused that was paused while waiting for quota: %s', async (message, outcome) => {
    await system.api.setQuota({ dailyLimit: 10, used: 0 });
    const run = await startWaiting('marketSnapshot');
    await run.signal('pause');
    const asked = await system.api.requests('GET /v2/companies/{id}');
    await giveRoom();
    await waitUntil('the run is paused', async () => (await run.query<Progress>('progress')).phase === 'paused');
    expect(await system.api.requests('GET /v2/companies/{id}')).toBe(asked);
    await run.signal(message);
    expect(((await run.result()) as RunResult).outcome).toBe(outcome);
  });

  it('wakes the runs when the key is refused, which then fail as Unauthorized', async () => {
    await useUp();
    const run = await startWaiting('tenderSnapshot');
    await system.api.answer(REFUSED);
    await expect(run.result()).rejects.toMatchObject({
      cause: { cause: { type: 'Unauthorized', message: expect.stringContaining('refuses the key') } },
    });
    await clearFaults();
    await giveRoom();
  });

  it('files a record with a suspected limit as a reject and continues', async () => {
    await giveRoom();
    const { companyIds, hasDetails } = system.api.truthOf(0);
    const id = companyIds.find(hasDetails) ?? '';
    const access = { permission: 'p', permission_name: 'p', module: 'm', module_name: 'm', app: 'a', app_name: 'a' };
    await system.api.answerLimit({
      route: `/v2/companies/${id}`,
      guard: 'limits.daily',
      access,
      message: 'No more today.',
    });
    const result = (await (await start('marketSnapshot')).result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'partial', rejects: 1 });
    const rejects = await system.project.query('SELECT stream, entity_id, raw FROM ops.rejects');
    expect(rejects).toEqual([{ stream: 'companies', entity_id: id, raw: expect.stringContaining('No more today.') }]);
    await clearFaults();
  });

  describe('without a quota figure', () => {
    beforeAll(async () => {
      await system.worker.stop();
      const config = readFileSync(system.project.env['TIDEMARK_CONFIG'] ?? '', 'utf8');
      const file = path.join(system.project.dir, 'no-figure.yaml');
      writeFileSync(file, config.replace('probeEvery:', 'metric: no_such_metric\n  probeEvery:'));
      await system.startWorker({ TIDEMARK_CONFIG: file });
    });

    it('keeps trying until the API answers again', async () => {
      await useUp();
      const run = await startWaiting('marketSnapshot');
      const told = await refused();
      await waitUntil('it has tried', async () => (await refused()) > told);
      await waits(run);
      const toldAgain = await refused();
      await waitUntil('it has tried once more', async () => (await refused()) > toldAgain);
      await waits(run);
      await giveRoom();
      expect(((await run.result()) as RunResult).outcome).toBe('complete');
    });

    it('skips a run that ended while waiting for quota', async () => {
      // A gate of an earlier test would wait for the run that it tried last. That run does not return, so the gate would
      // assume that there is quota.
      await terminateGates();
      await useUp();
      const run = await startWaiting('resolveCompanies', { file: 'resolve/a.csv' });
      await waitUntil('it is tried', async () => (await tried()).includes(run.workflowId));
      await waits(run);
      const ctx = { run: 'gone', date: '2026-11-21', workflowId: 'gone', probeEverySeconds: 1, leavesQuota: 0 };
      for await (const { workflowId } of system.temporal.client.workflow.list({ query: OPEN_GATES })) {
        await system.temporal.client.workflow.getHandle(workflowId).signal('enterQuotaGate', { ctx, priority: 0 });
      }
      // The ended run does not return. The gate must not take this for free quota: it must try another run.
      await waitUntil('the gate did something then', async () => /gone,(?!gone)./.test((await tried()).join()));
      const then = await tried();
      expect(then[then.lastIndexOf('gone') + 1]).toBe(run.workflowId);
      await giveRoom();
      expect(((await run.result()) as RunResult).outcome).toBe('complete');
    });
  });

  /** Terminates the open gate, as a user can in the Temporal UI; returns how many there were. */
  async function terminateGates(): Promise<number> {
    let count = 0;
    for await (const { workflowId } of system.temporal.client.workflow.list({ query: OPEN_GATES })) {
      try {
        await system.temporal.client.workflow.getHandle(workflowId).terminate();
        count++;
      } catch (error) {
        // The list may still name a gate that has just ended.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
    return count;
  }

  /** Actions of the open gate: `wait`, the id of a run it woke, or `gone` if that run had ended. */
  async function tried(): Promise<string[]> {
    const did: string[] = [];
    for await (const { workflowId } of system.temporal.client.workflow.list({ query: OPEN_GATES })) {
      const { events } = await system.temporal.client.workflow.getHandle(workflowId).fetchHistory();
      for (const event of events ?? []) {
        const signalled = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
        if (event.timerStartedEventAttributes) did.push('wait');
        if (signalled) did.push(signalled.workflowExecution?.workflowId ?? '');
        if (event.signalExternalWorkflowExecutionFailedEventAttributes) did.push('gone');
      }
    }
    return did;
  }
});
