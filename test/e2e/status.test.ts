import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const COMPANIES = 60;

interface StatusJson {
  running: {
    workflowId: string;
    workLeft: { step: string; records: number }[];
    version: string | null;
    otherSettings: boolean | null;
  }[];
  gates: { waiting: string[]; quota: { used: number; total: number } | null; readsAt: string | null }[];
  currentVersion: string | null;
  schedules: { schedule: string; state: string }[];
  next: { schedule: string }[];
  published: { build: { name: string; newer: string[] } } | null;
}

describe('tidemark status', () => {
  let system: System;

  const text = async () => (await system.tidemark('status')).stdout.replaceAll(/\n {11,}/g, ' ');
  const json = async () => JSON.parse((await system.tidemark('status', '--json')).stdout) as StatusJson;
  const configFile = () => system.project.env['TIDEMARK_CONFIG'] ?? '';
  const configure = (change: (written: string) => string) =>
    writeFileSync(configFile(), change(readFileSync(configFile(), 'utf8')));
  const waitFor = async (run: { query: (name: string) => Promise<unknown> }, phase: Progress['phase']) =>
    waitUntil(`the run is ${phase}`, async () => ((await run.query('progress')) as Progress).phase === phase);

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: COMPANIES, tenders: 3, seed: 5 },
      config: {
        quota: { probeEvery: '2s' },
        markets: [
          {
            name: 'demo',
            streams: ['companies'],
            refresh: { companies: '0d' },
            schedule: { cron: '0 2 * * *', timezone: 'UTC' },
          },
        ],
      },
    });
  });

  afterAll(() => system?.stop());

  it('shows the quota, the order and the remaining calls of runs that wait', async () => {
    await system.api.setQuota({ dailyLimit: 20, used: 0 });
    const night = await system.start('marketSnapshot', 'snapshot/demo/waits');
    await waitFor(night, 'waiting-for-quota');
    const tenders = await system.start('tenderSnapshot', 'tenders/waits');
    await waitFor(tenders, 'waiting-for-quota');
    await waitUntil('the gate has read the quota', async () => (await json()).gates[0]?.quota !== null);
    const { gates, running } = await json();
    expect(gates).toMatchObject([
      { waiting: ['snapshot/demo/waits', 'tenders/waits'], quota: { used: expect.any(Number), total: 20 } },
    ]);
    const [{ step, records } = { step: '', records: 0 }] =
      running.find(({ workflowId }) => workflowId === 'snapshot/demo/waits')?.workLeft ?? [];
    expect(step).toBe('companies');
    expect(records).toBeGreaterThan(COMPANIES - 20);
    const said = await text();
    expect(said).toMatch(/Quota {6}\d+ of 20 calls used, read at \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(said).toMatch(/(next reading at .* UTC|being read now); 2 runs wait, in this order:/);
    expect(said).toMatch(
      new RegExp(`1\\. snapshot/demo/waits, needs about ${records} calls for companies 2\\. tenders/waits`),
    );
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    await Promise.all([night.result(), tenders.result()]);
    expect((await json()).gates).toEqual([]);
  });

  it('names the older build that readers see, and the remedy', async () => {
    expect((await json()).published?.build.newer).toEqual([]);
    expect((await system.tidemark('publish', '--to', 'PREVIOUS')).code).toBe(0);
    const [newest] = (await json()).published?.build.newer ?? [];
    expect(await text()).toContain(`To show the newest build now: \`tidemark publish --to ${newest}\`.`);
    expect((await system.tidemark('publish', '--to', newest ?? '')).code).toBe(0);
    expect(await text()).not.toMatch(/older build/);
  });

  it('lists schedules that are missing, paused or differ from the configuration', async () => {
    expect((await json()).schedules).toEqual([
      expect.objectContaining({ schedule: 'tidemark/snapshot/demo', state: 'not applied' }),
    ]);
    expect(await text()).toMatch(
      /Declared, but not on the server.*tidemark\/snapshot\/demo.*`tidemark schedule apply`/,
    );
    await system.tidemark('schedule', 'apply');
    await waitUntil('the schedule is listed', async () => (await json()).next.length === 1);
    expect((await json()).schedules).toEqual([]);
    expect(await text()).toMatch(/Next {7}\d{4}-\d\d-\d\d 02:00 UTC {2}tidemark\/snapshot\/demo/);
    await system.tidemark('schedule', 'pause', 'snapshot/demo');
    expect(await text()).toMatch(/Paused, so no run starts: tidemark\/snapshot\/demo/);
    await system.tidemark('schedule', 'resume', 'snapshot/demo');
    configure((written) => written.replace('0 2 * * *', '30 2 * * *'));
    expect(await text()).toMatch(/Differs from the configuration file: tidemark\/snapshot\/demo/);
    configure((written) => written.replace('30 2 * * *', '0 2 * * *'));
    expect((await json()).schedules).toEqual([]);
  });

  it('says that a run uses other settings than the configuration file', async () => {
    const run = await system.start('marketSnapshot', 'snapshot/demo/settings');
    await run.signal('pause');
    await waitFor(run, 'paused');
    const [before] = (await json()).running;
    expect(before?.otherSettings).toBe(false);
    expect(before?.version).toBe((await json()).currentVersion);
    configure((written) => `${written}\nquota: { probeEvery: 3s }\n`.replace(/quota:\n {2}probeEvery: 2s\n/, ''));
    expect((await json()).running[0]?.otherSettings).toBe(true);
    expect(await text()).toMatch(/The run uses other settings than the configuration file has now/);
    expect(await text()).toMatch(/Workers.*other settings.*Restart them/);
    await run.signal('resume');
    await run.result();
  });
});
