import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@temporalio/client';
import { optionalDateToTs } from '@temporalio/common/lib/time.js';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dueNight } from '../../../../activities/due-night.js';
import { loadConfig } from '../../../../src/config/config.js';
import { nightlyJobs } from '../../../../src/config/schedule-ids.js';
import type { RunState } from '../../../../src/temporal/runs/run-state.js';
import { followRun } from '../../../../src/temporal/runs/follow-run.js';
import { runFailure } from '../../../../src/temporal/failure.js';
import { applySchedules, declaredSchedules, existingSchedules } from '../../../../src/temporal/schedules.js';
import { ensureSearchAttributes, readSearchAttributes } from '../../../../src/temporal/search-attributes.js';
import { startOrJoin, type RunRequest } from '../../../../src/temporal/runs/start-run.js';
import { connectTemporal, type TemporalClient } from '../../../../src/temporal/connect.js';
import { MARKET_ATTRIBUTE, DATE_ATTRIBUTE } from '../../../../workflows/search-attributes.js';
import { CRAWL_QUEUE } from '../../../../workflows/queues.js';
import { ROOT } from '../../../helpers/processes.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { waitUntil } from '../../../helpers/sandbox.js';
import { startTemporal } from '../../../helpers/temporal.js';

// A real server without a worker: started runs stay open until the test ends them.
let server: TestWorkflowEnvironment;
let temporal: TemporalClient;

beforeAll(async () => {
  server = await startTemporal();
  process.env['TEMPORAL_ADDRESS'] = server.address;
  temporal = await connectTemporal(null);
});

afterAll(async () => {
  delete process.env['TEMPORAL_ADDRESS'];
  await temporal.close();
  await server.teardown();
});

function request(date: string): RunRequest {
  return {
    type: 'marketSnapshot',
    workflowId: `snapshot/demo/${date}`,
    input: { market: 'demo', date },
    market: 'demo',
    date,
    summary: `Snapshot of market demo, ${date}`,
    details: 'A test.',
  };
}

describe('startOrJoin', () => {
  it('starts a run, joins it while open, and starts it again after', async () => {
    const first = await startOrJoin(temporal.client, request('2026-11-01'));
    expect(first.joined).toBe(false);
    const { typedSearchAttributes } = await first.handle.describe();
    expect(typedSearchAttributes.get(MARKET_ATTRIBUTE)).toBe('demo');
    expect(typedSearchAttributes.get(DATE_ATTRIBUTE)).toBe('2026-11-01');

    const second = await startOrJoin(temporal.client, request('2026-11-01'));
    expect(second).toMatchObject({ joined: true, startedAt: first.startedAt });

    await second.handle.terminate('the test is over');
    const third = await startOrJoin(temporal.client, request('2026-11-01'));
    expect(third.joined).toBe(false);
    await third.handle.terminate();
  });

  it('joins the run that a schedule started for the same market and date', async () => {
    const scheduled = await temporal.client.workflow.start('marketSnapshot', {
      workflowId: 'snapshot/demo/scheduled-2026-11-02T02:00:00Z',
      taskQueue: CRAWL_QUEUE,
      args: [{ market: 'demo' }],
      typedSearchAttributes: [
        { key: MARKET_ATTRIBUTE, value: 'demo' },
        { key: DATE_ATTRIBUTE, value: '2026-11-02' },
      ],
    });
    const query = `WorkflowId = '${scheduled.workflowId}'`;
    await waitUntil('the run is listed', async () => (await temporal.client.workflow.count(query)).count > 0);
    const joined = await startOrJoin(temporal.client, request('2026-11-02'));
    expect(joined.joined).toBe(true);
    expect(joined.handle.workflowId).toBe(scheduled.workflowId);
    await scheduled.terminate();
  });
});

describe('followRun', () => {
  it('shows that no worker runs and leaves the run open on interrupt', async () => {
    const { handle, startedAt } = await startOrJoin(temporal.client, request('2026-11-03'));
    const interrupt = new AbortController();
    const shown: RunState[] = [];
    const view = {
      show: (state: RunState) => {
        shown.push(state);
        interrupt.abort();
      },
      done: () => undefined,
    };
    expect(await followRun(temporal.client, handle, view, { startedAt, interrupted: interrupt.signal })).toBeNull();
    expect(shown[0]).toMatchObject({ workers: false, phase: 'opening' });
    expect((await handle.describe()).status.name).toBe('RUNNING');

    const followed = followRun(
      temporal.client,
      handle,
      { show: () => undefined, done: () => undefined },
      { startedAt, interrupted: new AbortController().signal },
    );
    const ended = followed.then(null, (error: unknown) => runFailure(error, handle.workflowId));
    await handle.terminate('by hand');
    expect(await ended).toMatchObject({ message: 'snapshot/demo/2026-11-03 was terminated: by hand' });
  });

  it('only waits for the end of a run if there is no view', async () => {
    const { handle, startedAt } = await startOrJoin(temporal.client, request('2026-11-05'));
    const interrupt = new AbortController();
    const interrupted = followRun(temporal.client, handle, null, { startedAt, interrupted: interrupt.signal });
    interrupt.abort();
    expect(await interrupted).toBeNull();
    const followed = followRun(temporal.client, handle, null, { startedAt, interrupted: new AbortController().signal });
    const ended = followed.then(null, (error: unknown) => runFailure(error, handle.workflowId));
    await handle.terminate('by hand');
    expect(await ended).toMatchObject({ message: 'snapshot/demo/2026-11-05 was terminated: by hand' });
  });
});

// In Copenhagen, 25 March 2035 has no 02:00.
describe('a schedule in a clock change', () => {
  const folder = emptyFolder();
  const schedule = { cron: '0 2 * * *', timezone: 'Europe/Copenhagen' };

  beforeAll(async () => {
    const config = { api: { baseUrl: 'http://127.0.0.1:9' }, markets: [{ name: 'changed', schedule }] };
    writeFileSync(path.join(folder.dir, 'tidemark.yaml'), JSON.stringify(config));
  });
  afterAll(() => folder.remove());

  it('gets a warning of schedule apply and doctor, with the date and a safer time', async () => {
    const env = { TEMPORAL_ADDRESS: server.address, TIDEMARK_NOW: '2035-01-10T00:00:00Z' };
    const applied = await runCli(['schedule', 'apply'], { cwd: folder.dir, env });
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/created +tidemark.snapshot.changed/) });
    expect(applied.stderr).toContain(
      'Warning: snapshot/changed ("0 2 * * *", Europe/Copenhagen): clock changes skip 02:00 on 2035-03-25, so Temporal may start no run; clock changes repeat 02:00 on 2035-10-28, so Temporal may start two runs. Set schedule.cron to a time that exists once a day, such as "0 4 * * *".',
    );
    const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.dir, env });
    const found = JSON.parse(stdout) as { check: string; state: string; message: string }[];
    expect(found.filter(({ check }) => check === 'schedules')).toMatchObject([
      { state: 'warn', message: expect.stringContaining('skip 02:00 on 2035-03-25') },
    ]);
  });

  it('has a late night on the day that Temporal skips', async () => {
    const { client } = temporal;
    const [job] = nightlyJobs(loadConfig(path.join(folder.dir, 'tidemark.yaml'), {}));
    const { startTime } = await client.workflowService.listScheduleMatchingTimes({
      namespace: 'default',
      scheduleId: 'tidemark/snapshot/changed',
      startTime: optionalDateToTs(new Date('2035-03-24T12:00Z')) ?? null,
      endTime: optionalDateToTs(new Date('2035-03-25T12:00Z')) ?? null,
    });
    expect(startTime ?? []).toEqual([]);
    const due = await dueNight(client, job!, new Date('2035-03-25T13:00Z'));
    expect(due).toMatchObject({
      date: '2035-03-25',
      scheduledAt: new Date('2035-03-25T01:00Z'),
      state: 'No run started: a clock change skipped 02:00 that day (Europe/Copenhagen).',
      started: null,
    });
    expect(await dueNight(client, job!, new Date('2035-03-25T12:59Z'))).toMatchObject({ date: '2035-03-24' });
    await client.schedule.getHandle('tidemark/snapshot/changed').delete();
  });
});

describe('declared schedules', () => {
  const config = loadConfig(`${ROOT}/tidemark.example.yaml`, {});

  it('creates, keeps, updates and removes schedules to match the configuration', async () => {
    const { client } = temporal;
    const declared = declaredSchedules(config);
    const changes = async (wanted = declared) =>
      (await applySchedules(client, wanted)).map(({ id, change }) => `${id} ${change}`);
    expect(await changes()).toEqual(['tidemark/snapshot/demo created', 'tidemark/tenders created']);
    await client.schedule.getHandle('tidemark/tenders').pause();
    expect(await changes()).toEqual(['tidemark/snapshot/demo unchanged', 'tidemark/tenders unchanged']);

    const later = declared.map((one) => ({ ...one, cron: '15 4 * * 1-5', timezone: 'Europe/Copenhagen' }));
    expect(await changes(later)).toEqual(['tidemark/snapshot/demo updated', 'tidemark/tenders updated']);
    const { state, spec, policies } = await client.schedule.getHandle('tidemark/tenders').describe();
    // A schedule paused by an operator stays paused, and a late night is buffered instead of skipped.
    expect(state.paused).toBe(true);
    expect(spec.timezone).toBe('Europe/Copenhagen');
    expect(policies.overlap).toBe('BUFFER_ALL');
    expect(await changes(later)).toEqual(['tidemark/snapshot/demo unchanged', 'tidemark/tenders unchanged']);

    await waitUntil('both are listed', async () => (await existingSchedules(client)).length === 2);
    expect(await changes(later.slice(0, 1))).toEqual(['tidemark/snapshot/demo unchanged', 'tidemark/tenders removed']);
  });
});

describe('search attributes', () => {
  it('registers missing search attributes once', async () => {
    await temporal.connection.operatorService.removeSearchAttributes({
      namespace: 'default',
      searchAttributes: ['TidemarkDate'],
    });
    const missing = async () => (await readSearchAttributes(temporal)).missing;
    await waitUntil('it is gone', async () => (await missing()).required.length === 1);
    expect(await ensureSearchAttributes(temporal)).toMatchObject({ added: ['TidemarkDate'], warning: null });
    expect(await ensureSearchAttributes(temporal)).toMatchObject({ added: [], warning: null });
  });

  it('registers an attribute of another type after it was removed as the error advises', async () => {
    const { operatorService } = temporal.connection;
    const remove = { namespace: 'default', searchAttributes: ['TidemarkDate'] };
    await operatorService.removeSearchAttributes(remove);
    const missing = async () => (await readSearchAttributes(temporal)).missing.required.length;
    await waitUntil('it is gone', async () => (await missing()) === 1);
    await operatorService.addSearchAttributes({ namespace: 'default', searchAttributes: { TidemarkDate: INT } });
    const refused = async () =>
      readSearchAttributes(temporal).then(
        () => undefined,
        (error: unknown) => error,
      );
    await waitUntil('it is refused', async () => (await refused()) !== undefined);
    expect(await refused()).toMatchObject({
      message: expect.stringContaining('other than Keyword: TidemarkDate'),
      todo: expect.stringContaining('remove these attributes with `temporal operator search-attribute remove`'),
    });
    await operatorService.removeSearchAttributes(remove);
    await waitUntil('it is gone again', async () => (await refused()) === undefined && (await missing()) === 1);
    expect(await ensureSearchAttributes(temporal)).toMatchObject({ added: ['TidemarkDate'], warning: null });
  });

  it('warns and continues if the namespace refuses attributes that only show state', async () => {
    const { namespace } = await refusing({ TidemarkCoverage: KEYWORD });
    const { state, added, warning } = await ensureSearchAttributes(namespace);
    expect(state).toEqual(['TidemarkOutcome', 'TidemarkPhase', 'TidemarkRejects']);
    expect(added).toEqual(['TidemarkMarket', 'TidemarkDate', ...state]);
    expect(warning).toMatch(
      /lacks the search attributes TidemarkCoverage=Double, or has them with another type.*restart the workers/s,
    );
  });
});

// temporal.api.enums.v1.IndexedValueType
const KEYWORD = 2;
const INT = 3;

/** A namespace that refuses an attribute, because one with this name and another type exists. */
async function refusing(searchAttributes: Record<string, number>): Promise<{ namespace: TemporalClient }> {
  const { connection, client } = temporal;
  const namespace = 'other-type';
  await client.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  return {
    namespace: {
      ...temporal,
      client: new Client({ connection, namespace }),
      target: { ...temporal.target, namespace },
    },
  };
}
