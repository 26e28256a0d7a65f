import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LockLostError } from '../../../../src/store/lock/lock.js';
import { beginBuild, finishBuild, listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { compactLanding } from '../../../../src/maintenance/compact/compact.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { buildDir, fileOf, lakeOf, publishedFile } from '../../../../src/store/data-folder.js';
import { queryPublished } from '../../../../src/warehouse/builds/published.js';
import { rebuildWarehouse } from '../../../../src/maintenance/rebuild.js';
import { WarehouseBusyError } from '../../../../src/warehouse/duckdb/errors.js';
import { whileNothingIsRemoved, whileSwitching } from '../../../../src/warehouse/duckdb/locks.js';
import { removeOldBuilds, showBuild, showNewBuild } from '../../../../src/warehouse/builds/switch.js';
import { ROOT } from '../../../helpers/processes.js';
import { land, marketNight, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const PRUNING = { keep: 1, graceSeconds: 60 };

/** Makes an old build that readers can see, with small files instead of a database and a lake. */
function makeBuild(dataDir: string, run: string, minute: number): string {
  const build = beginBuild(dataDir, { run, now: new Date(Date.UTC(2026, 10, 20, 4, minute)) });
  mkdirSync(lakeOf(build.folder));
  writeFileSync(fileOf(build.folder), run);
  utimesSync(fileOf(build.folder), LONG_AGO, LONG_AGO);
  finishBuild(dataDir, build);
  return build.name;
}

const runs = (dataDir: string): string[] => listBuilds(dataDir).map(({ run }) => run);

describe('removal of old builds', () => {
  test('keeps a build for the grace time after readers left it', async () => {
    const dataDir = temporaryDataDir();
    for (const [minute, run] of ['a', 'b'].entries())
      await showNewBuild(dataDir, makeBuild(dataDir, run, minute), PRUNING);
    await showBuild(dataDir, 'PREVIOUS');
    await showNewBuild(dataDir, makeBuild(dataDir, 'c', 2), PRUNING);
    // Readers left `a` a moment ago, although its neighbour `b` is old.
    expect(runs(dataDir)).toEqual(['c', 'b', 'a']);
    await sleep(50);
    await removeOldBuilds(dataDir, { keep: 1, graceSeconds: 0.05 });
    expect(runs(dataDir)).toEqual(['c']);
  });

  test('counts a build that readers left in the future as left now', async () => {
    const dataDir = temporaryDataDir();
    for (const [minute, run] of ['a', 'b', 'c'].entries())
      await showNewBuild(dataDir, makeBuild(dataDir, run, minute), PRUNING);
    const [, , { name } = { name: '' }] = listBuilds(dataDir);
    const later = new Date(Date.now() + 1e9);
    utimesSync(buildDir(dataDir, name), later, later);
    await removeOldBuilds(dataDir, PRUNING);
    expect(runs(dataDir)).toEqual(['c', 'b', 'a']);
    expect(statSync(buildDir(dataDir, name)).mtimeMs).toBeLessThanOrEqual(Date.now() + 1);
  });

  test('keeps the current build and does nothing if nothing is published', async () => {
    const dataDir = temporaryDataDir();
    await removeOldBuilds(dataDir, PRUNING);
    for (const [minute, run] of ['a', 'b'].entries())
      await showNewBuild(dataDir, makeBuild(dataDir, run, minute), PRUNING);
    await showBuild(dataDir, 'PREVIOUS');
    await removeOldBuilds(dataDir, { keep: 1, graceSeconds: 0 });
    expect(runs(dataDir)).toEqual(['a']);
    await expect(showBuild(dataDir, 'PREVIOUS')).rejects.toMatchObject({
      type: 'InvalidInput',
      message: 'There is no build before the current one.',
    });
    const [{ name } = { name: '' }] = listBuilds(dataDir);
    await expect(showBuild(dataDir, 'other')).rejects.toMatchObject({
      type: 'InvalidInput',
      message: 'There is no build other.',
      todo: `Kept builds: ${name}.`,
    });
    await expect(showBuild(temporaryDataDir(), 'other')).rejects.toMatchObject({
      todo: expect.stringMatching(/^No build was published yet/) as string,
    });
  });
});

test('shows readers a complete build while writers are killed or frozen', async () => {
  const dataDir = temporaryDataDir();
  await showNewBuild(dataDir, makeBuild(dataDir, 'first', 0), PRUNING);
  writeFileSync(
    path.join(lakeOf(path.dirname(realpathSync(publishedFile(dataDir)))), 'data'),
    listBuilds(dataDir)[0]?.name ?? '',
  );
  writeFileSync(realpathSync(publishedFile(dataDir)), listBuilds(dataDir)[0]?.name ?? '');
  const said: string[] = [];
  const start = async (job: string): Promise<ChildProcess> => {
    const script = path.join(ROOT, 'test/helpers/switcher.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir, job, 'run'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.on('data', (data: Buffer) => said.push(...data.toString().trim().split('\n')));
    await once(child.stdout, 'data');
    return child;
  };
  const reader = await start('read');
  // Only one publishes, because a second would find the warehouse locked. Any number may roll back and prune.
  const jobs = ['publish', 'to', 'to', 'prune'];
  const children = await Promise.all(jobs.map(start));
  for (let round = 0; round < 8; round++) {
    await sleep(300 + 37 * round);
    const n = round % jobs.length;
    children[n]?.kill(round < 4 ? 'SIGKILL' : 'SIGSTOP');
    if (round < 4) children[n] = await start(jobs[n] ?? '');
    else setTimeout(() => children[n]?.kill('SIGCONT'), 500);
  }
  await sleep(1_000);
  const ended = [...children, reader].map((child) => once(child, 'exit'));
  for (const child of [...children, reader]) child.kill('SIGKILL');
  await Promise.all(ended);
  expect(said.filter((line) => line !== 'begun')).toEqual([]);
  expect(listBuilds(dataDir).some(({ current }) => current)).toBe(true);
});

describe('a replay and other writers', () => {
  const replay = (dataDir: string, onStep: (step: string) => void) =>
    rebuildWarehouse(new Data(dataDir), { now: new Date('2026-11-21T04:00:00Z'), personalData: false, onStep });

  /** Loads, builds and publishes as a worker's activities do. */
  async function runPublishes(dataDir: string): Promise<void> {
    await land(dataDir, marketNight({ run: 'r2', date: '2026-11-21', ids: [1, 2, 3] }));
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse);
      await publish(warehouse, dataDir, { run: 'r2', now: new Date('2026-11-21T05:00:00Z') });
    } finally {
      await warehouse.close();
    }
  }

  test('lets no run publish until a replay has replaced the warehouse', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2] }));
    let meanwhile: Promise<unknown> = Promise.resolve();
    await replay(dataDir, (step) => {
      if (step === 'models') meanwhile = runPublishes(dataDir).catch((error: unknown) => error);
    });
    const refused = await meanwhile;
    // The run is refused if the replay is still working. If the replay has already ended, the run succeeds.
    expect([undefined, expect.any(WarehouseBusyError)]).toContainEqual(refused);
    if (refused !== undefined) await runPublishes(dataDir);
    const companies = 'SELECT count(*)::INTEGER FROM core.companies';
    expect(await queryPublished(dataDir, companies)).toEqual([[3]]);
  });

  test('replaces nothing after losing the warehouse lock during a replay', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2] }));
    let meanwhile: Promise<unknown> = Promise.resolve();
    const replaying = replay(dataDir, (step) => {
      if (step !== 'models') return;
      // Simulates that this process was frozen for longer than the lease.
      rmSync(path.join(dataDir, 'warehouse', 'writer.lock'), { recursive: true });
      meanwhile = runPublishes(dataDir);
    });
    await expect(replaying).rejects.toBeInstanceOf(LockLostError);
    await meanwhile;
    expect(await queryPublished(dataDir, 'SELECT run FROM meta.receipt')).toEqual([['r2']]);
    const warehouse = await openWarehouse(new Data(dataDir));
    expect(await warehouse.db.count('SELECT count(*) FROM core.companies')).toBe(3);
    await warehouse.close();
  });

  test('keeps compaction from removing parts during a replay', async () => {
    const dataDir = temporaryDataDir();
    const warehouse = await openWarehouse(new Data(dataDir));
    const compacting = whileNothingIsRemoved(dataDir, () =>
      compactLanding(warehouse, new Data(dataDir), { minParts: 2 }),
    );
    await expect(compacting).rejects.toThrow(/is in use by tidemark replay/);
    await warehouse.close();
  });
});

test('waits for a publication before switching to another build', async () => {
  const dataDir = temporaryDataDir();
  for (const [minute, run] of ['a', 'b'].entries())
    await showNewBuild(dataDir, makeBuild(dataDir, run, minute), PRUNING);
  const order: string[] = [];
  const publishing = whileSwitching(dataDir, async () => {
    await sleep(300);
    order.push('published');
  });
  await Promise.all([publishing, showBuild(dataDir, 'PREVIOUS').then(() => order.push('went back'))]);
  expect(order).toEqual(['published', 'went back']);
  expect(existsSync(path.join(dataDir, 'published', 'switch.lock'))).toBe(false);
});
