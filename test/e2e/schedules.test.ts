import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { ROOT } from '../helpers/processes.js';
import { startSystem, type System } from '../helpers/system.js';

const exec = promisify(execFile);
const NIGHTLY = 'tidemark/snapshot/nightly';
const MINUTELY = 'tidemark/snapshot/minutely';
const TENDERS = 'tidemark/tenders';
const WATCH = 'tidemark/watch';

describe('schedules from tidemark.yaml', () => {
  let system: System;

  const tidemark = (...args: string[]) =>
    exec(process.execPath, ['bin/tidemark.mjs', ...args], { cwd: ROOT, env: system.project.env });

  /** Results of the finished runs a schedule started, by date. */
  const results = async (schedule: string): Promise<RunResult[]> => {
    const found: RunResult[] = [];
    const query = `TemporalScheduledById = '${schedule}' AND ExecutionStatus = 'Completed'`;
    for await (const { workflowId, runId } of system.temporal.client.workflow.list({ query })) {
      found.push((await system.temporal.client.workflow.getHandle(workflowId, runId).result()) as RunResult);
    }
    return found.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  };

  beforeAll(async () => {
    const schedule = (cron: string, timezone: string) => ({ cron, timezone });
    system = await startSystem({
      market: { companies: 120, tenders: 5, seed: 3 },
      config: {
        markets: [
          { name: 'minutely', streams: ['companies'], schedule: schedule('* * * * *', 'UTC') },
          // 00:30 in Tokyo is the day before in UTC, so a date in the wrong zone would be noticed.
          { name: 'nightly', streams: ['companies'], schedule: schedule('30 0 * * *', 'Asia/Tokyo') },
        ],
        tenders: { schedule: schedule('0 5 1 1 *', 'UTC') },
        watch: { schedule: schedule('0 6 1 1 *', 'UTC') },
      },
    });
  });

  afterAll(() => system?.stop());

  it('creates schedules once and reports them unchanged the second time', async () => {
    const first = await tidemark('schedule', 'apply');
    expect(first.stdout).toMatch(/created/);
    const second = await tidemark('schedule', 'apply');
    expect(second.stdout).toMatch(/unchanged/);
    expect(second.stdout).not.toMatch(/created|updated/);
  });

  it('runs a schedule and files the market under its nominal date', async () => {
    await waitUntil('the minutely schedule fires', async () => (await results(MINUTELY)).length > 0);
    await system.temporal.client.schedule.getHandle(MINUTELY).pause();
    const [run] = await results(MINUTELY);
    expect(run).toMatchObject({ market: 'minutely', asOfNow: true, outcome: 'complete' });
    const members = `SELECT count(*)::INTEGER AS n FROM marts.market_members WHERE market = 'minutely' AND date = '${run?.date}'`;
    expect(await system.project.query(members)).toEqual([{ n: 120 }]);
  });

  it('runs a backfilled schedule once per past date and files no members there', async () => {
    // Nominal times 00:30 in Tokyo on 10, 11 and 12 March: 15:30 UTC the day before.
    await system.temporal.client.schedule.getHandle(NIGHTLY).backfill({
      start: new Date('2026-03-09T15:00:00Z'),
      end: new Date('2026-03-11T16:00:00Z'),
      overlap: 'BUFFER_ALL',
    });
    await waitUntil('three backfilled runs', async () => (await results(NIGHTLY)).length >= 3);
    const runs = await results(NIGHTLY);
    expect(runs.map(({ date, asOfNow, coverage }) => ({ date, asOfNow, coverage }))).toEqual(
      ['2026-03-10', '2026-03-11', '2026-03-12'].map((date) => ({ date, asOfNow: false, coverage: null })),
    );
    expect(await system.project.query("SELECT * FROM marts.market_members WHERE market = 'nightly'")).toEqual([]);
    expect(await system.project.query("SELECT * FROM core.companies WHERE first_seen_on < '2026-04-01'")).toEqual([]);
  });

  it('starts scheduled tender and watch runs under ids without a market', async () => {
    const startedAs = async (schedule: string): Promise<string> => {
      const { action } = await system.temporal.client.schedule.getHandle(schedule).describe();
      return action.workflowId;
    };
    expect([await startedAs(TENDERS), await startedAs(WATCH)]).toEqual(['tenders/scheduled', 'watch/scheduled']);
    // Older versions of Tidemark gave the schedule's runs this workflow id.
    await system.temporal.client.schedule.getHandle(TENDERS).update(({ action, ...rest }) => ({
      ...rest,
      action: { ...action, workflowId: 'tenders/undefined/scheduled' },
    }));
    const corrected = await tidemark('schedule', 'apply');
    expect(corrected.stdout).toMatch(/updated +tidemark\/tenders/);
    expect((await tidemark('schedule', 'apply')).stdout).not.toMatch(/created|updated/);
    await system.temporal.client.schedule.getHandle(TENDERS).trigger();
    await waitUntil('the tenders are read', async () => (await results(TENDERS)).length > 0);
    const ids: string[] = [];
    for await (const { workflowId } of system.temporal.client.workflow.list()) ids.push(workflowId);
    expect(ids.filter((id) => /undefined|null/.test(id))).toEqual([]);
    expect(ids.filter((id) => id.startsWith('tenders/'))).toEqual([
      expect.stringMatching(/^tenders\/scheduled-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    ]);
  });

  it('deletes schedules', async () => {
    for (const name of ['snapshot/minutely', NIGHTLY, 'tenders', 'watch']) await tidemark('schedule', 'delete', name);
    const left: string[] = [];
    for await (const { scheduleId } of system.temporal.client.schedule.list()) left.push(scheduleId);
    expect(left).toEqual([]);
  });
});
