import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import { openDataFolder } from '../../src/store/folder-identity.js';
import type { Project } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { tidemarkIn, type CliResult } from '../helpers/run-cli.js';

const MARKET = { companies: 250, tenders: 5, seed: 17 };
const NIGHT = { cron: '0 4 * * *', timezone: 'UTC' };

/** Every command that starts, steers or reads runs, schedules or workers. */
const COMMANDS = [
  'worker',
  'up',
  'demo --once --companies 20 --tenders 1',
  'setup',
  'snapshot',
  'snapshot --no-wait',
  'tenders',
  'backfill --from 2026-11-01 --to 2026-11-02',
  'rejects retry',
  'resolve list.csv',
  'payees check payees.csv',
  'watch sync',
  'schedule apply',
  'schedule list',
  'schedule pause snapshot/demo',
  'schedule resume snapshot/demo',
  'schedule trigger snapshot/demo',
  'schedule backfill snapshot/demo --from 2026-11-01 --to 2026-11-02',
  'schedule delete snapshot/demo',
  'pause',
  'resume',
  'stop',
  'concurrency 1',
  'workers',
  'workers promote',
];
/** Commands with which a new project begins. */
const COMMANDS_OF_FRESH = ['up', 'setup', 'snapshot', 'schedule apply'];

describe('two data folders and one Temporal namespace', () => {
  let system: System;
  let first: Project;
  let used: Project;
  let fresh: Project;

  const tidemark = (project: Project, ...args: string[]): Promise<CliResult> => tidemarkIn(project, args);

  /** Everything that another project could change: workflows, schedules and requests. */
  const state = async (): Promise<unknown> => {
    const { client } = system.temporal;
    const runs: string[] = [];
    for await (const { workflowId, runId, status } of client.workflow.list())
      runs.push(`${workflowId} ${runId} ${status.name}`);
    const { spec, state: paused } = await client.schedule.getHandle('tidemark/snapshot/demo').describe();
    return { runs: runs.toSorted(), spec, paused, requests: await system.api.requests() };
  };

  beforeAll(async () => {
    const markets = [{ name: 'demo', refresh: { companies: '0d', financials: '0d' }, schedule: NIGHT }];
    system = await startSystem({ market: MARKET, config: { markets } });
    first = system.project;
    [used, fresh] = [system.addProject({ markets }), system.addProject({ markets })];
    await openDataFolder(used.dataDir);
    for (const { dir } of [used, fresh]) {
      writeFileSync(path.join(dir, 'list.csv'), 'name,country\nNorth Works,DK\n');
      writeFileSync(path.join(dir, 'payees.csv'), 'id,name,country,iban\n1,North Works,DK,DK5000400440116243\n');
    }
    for (const line of [['schedule', 'apply'], ['snapshot']]) {
      const { code, stderr } = await tidemark(first, ...line);
      if (code !== 0) throw new Error(stderr);
    }
  });

  afterAll(() => system?.stop());

  it.each(['used', 'fresh'] as const)('refuses every command of a %s folder, and nothing changes', async (kind) => {
    const project = kind === 'used' ? used : fresh;
    const before = await state();
    const wrong: unknown[] = [];
    for (const line of kind === 'used' ? COMMANDS : COMMANDS_OF_FRESH) {
      const { code, stdout, stderr } = await tidemark(project, ...line.split(' '));
      const isRefused =
        stderr.includes(`belongs to the data folder ${first.dataDir} on host`) &&
        stderr.includes(`This command uses ${project.dataDir}`) &&
        /TEMPORAL_ADDRESS[^]*TEMPORAL_NAMESPACE=/.test(stderr);
      if (code === 0 || !isRefused) wrong.push({ line, code, stdout, stderr });
    }
    expect(wrong).toEqual([]);
    expect(await state()).toEqual(before);
    for (const read of ['status', 'doctor', 'upgrade --check'])
      expect((await tidemark(project, ...read.split(' '))).stdout).toContain(
        `belongs to the data folder ${first.dataDir}`,
      );
    expect(existsSync(path.join(project.dataDir, 'landing'))).toBe(false);
  });

  it('refuses a run and a rebuild of another folder in the worker, before it reads or writes anything', async () => {
    const folder: DataFolder = { id: 'bbbbbbbb-0000-4000-8000-000000000000', path: '/other/data', host: 'far' };
    const parts = JSON.stringify(await first.query("SELECT count(*) FROM glob('data/landing/**')"));
    for (const [type, args] of [
      ['marketSnapshot', [{ market: 'demo' }]],
      ['tenderSnapshot', [{}]],
      ['watchSync', [{}]],
      ['backfill', [{ from: '2026-11-01', to: '2026-11-02' }]],
      ['retryRejects', [{}]],
      ['enrichOwners', [{ market: 'demo' }]],
      ['rebuildWarehouse', [{}]],
      ['checkNights', []],
    ] as const) {
      const handle = await system.temporal.client.workflow.start(type, {
        taskQueue: 'tidemark-crawl',
        workflowId: `foreign-${type}`,
        args: [...args],
        memo: { folder },
      });
      await waitUntil(`the worker refuses ${type}`, async () => {
        const { pendingActivities } = (await handle.describe()).raw;
        const failure = pendingActivities?.find(({ lastFailure }) => lastFailure)?.lastFailure;
        return failure?.applicationFailureInfo?.type === 'OtherDataFolder';
      });
      await handle.terminate();
    }
    expect(JSON.stringify(await first.query("SELECT count(*) FROM glob('data/landing/**')"))).toBe(parts);
  });

  it('reports an edit of tidemark.yaml after the worker started', async () => {
    const file = path.join(first.dir, 'tidemark.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('companies: 0d', 'companies: 1d'));
    const { notes } = await system.run('marketSnapshot', 'snapshot/demo/edited');
    expect(notes.join(' ')).toMatch(
      /tidemark\.yaml changed at .*Z, after the worker started\. This run uses the old settings\. Restart the worker/,
    );
    const edited = /These workers use other settings than .*tidemark\.yaml \(changed at .*Z\): .*\. Restart them/;
    expect((await tidemark(first, 'status')).stdout).toMatch(edited);
    expect((await tidemark(first, 'doctor')).stdout).toMatch(edited);
    // Only settings count, not comments.
    writeFileSync(file, `# a comment\n${text}`);
    expect((await tidemark(first, 'status')).stdout).not.toMatch(/changed at/);
  });
});
