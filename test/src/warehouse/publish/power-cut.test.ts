import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { compactLanding } from '../../../../src/maintenance/compact/compact.js';
import { applyEnv } from '../../../../src/warehouse/publish/environments.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { publishedFile } from '../../../../src/store/data-folder.js';
import { rebuildWarehouse } from '../../../../src/maintenance/rebuild.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { currentLink, publishedLake, warehouseFile } from '../../../../src/store/data-folder.js';
import { showBuild } from '../../../../src/warehouse/builds/switch.js';
import { readManifests } from '../../../../src/landing/index.js';
import { findLost, listPlacements, watchDisk } from '../../../helpers/recorded-disk.js';
import { land, marketNight, publishAndReopen, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';
import { namesIn } from '../../../../src/store/files.js';

vi.mock(import('node:fs'), async (original) =>
  (await import('../../../helpers/recorded-disk.js')).recordFs(await original()),
);
vi.mock(import('node:fs/promises'), async (original) =>
  (await import('../../../helpers/recorded-disk.js')).recordFsPromises(await original()),
);

const NOW = new Date('2026-11-20T04:00:00Z');

async function builtWarehouse(): Promise<{ dataDir: string; warehouse: Warehouse }> {
  const dataDir = realpathSync(temporaryDataDir());
  watchDisk(dataDir);
  await land(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2] }));
  const warehouse = await openWarehouse(new Data(dataDir));
  onTestFinished(() => warehouse.close());
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse);
  return { dataDir, warehouse };
}

/** Names that readers rely on: builds and links. */
const published = (): { to: string; lost: string[] }[] =>
  listPlacements().filter(({ to }) => /^published\/(builds\/[^/]+|current|market\.duckdb|lake)$/.test(to));

describe('publications and power cuts', () => {
  test('leaves readers a complete build after a power cut', async () => {
    const built = await builtWarehouse();
    const { dataDir } = built;
    const warehouse = await publishAndReopen(built.warehouse, dataDir, { run: 'r1', now: NOW });
    const names = ['builds/20261120T040000000Z-r1', 'current', 'market.duckdb', 'lake'];
    expect(published()).toEqual(names.map((name) => ({ to: `published/${name}`, lost: [] })));
    const ways = [currentLink(dataDir), publishedFile(dataDir), publishedLake(dataDir)];
    expect(ways.flatMap(findLost)).toEqual([]);

    // The second publication adds only these two names. Files shared with the first lake are durable already.
    await publish(warehouse, dataDir, { run: 'r2', now: new Date(NOW.getTime() + 1_000) });
    expect(published().slice(names.length)).toEqual(
      ['builds/20261120T040001000Z-r2', 'current'].map((name) => ({ to: `published/${name}`, lost: [] })),
    );
    expect(ways.flatMap(findLost)).toEqual([]);
    await showBuild(dataDir, 'PREVIOUS');
    expect(ways.flatMap(findLost)).toEqual([]);
  });

  test('leaves a complete warehouse after a power cut during replay', async () => {
    const dataDir = realpathSync(temporaryDataDir());
    watchDisk(dataDir);
    await land(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2] }));
    await rebuildWarehouse(new Data(dataDir), { now: NOW, personalData: true });
    const file = path.relative(dataDir, warehouseFile(dataDir));
    // The warehouse file is renamed twice: into the folder of the lock and out of it.
    const placed = listPlacements().filter(({ to }) => path.basename(to) === path.basename(file));
    expect(placed.map(({ lost }) => lost)).toEqual([[], []]);
    expect(placed.at(-1)?.to).toBe(file);
    expect(findLost(publishedFile(dataDir))).toEqual([]);
    // Check only the name of the warehouse file: the publication has written to the file since its last fsync.
    expect(findLost(warehouseFile(dataDir)).filter((what) => what.startsWith('name'))).toEqual([]);
  });

  test('keeps the warehouse folder after a power cut at first start', async () => {
    const { dataDir } = await builtWarehouse();
    const folder = path.dirname(warehouseFile(dataDir));
    expect(findLost(folder)).not.toContain('name warehouse');
  });

  test('leaves a complete environment after a power cut', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    await publish(warehouse, dataDir, { run: 'r1', now: NOW });
    const { file } = await applyEnv(dataDir, { name: 'me', now: NOW, personalData: true });
    const placed = listPlacements().find(({ to }) => to === path.relative(dataDir, file));
    expect(placed?.lost).toEqual([]);
    expect(findLost(file)).toEqual([]);
  });

  test('loses no answer in a power cut during compaction', async () => {
    const { dataDir, warehouse } = await builtWarehouse();
    const more = [3, 4].map((id) => ({
      run: 'r1',
      date: '2026-11-20',
      stream: 'companies' as const,
      entity: String(id),
      body: { id, name: 'A' },
    }));
    for (const answer of more) await land(dataDir, [answer]);
    await loadLanding(warehouse, new Data(dataDir));
    const before = readManifests(dataDir, { stream: 'companies' });
    expect(before).toHaveLength(2);
    const lost: string[] = [];
    watchDisk(dataDir, (to) => {
      // A reader of the manifest relies on the part, and the replaced parts are removed next.
      const [, folder = '', part = ''] = /^(.*)\/_manifest\/(part-joined-.*)\.json$/.exec(to) ?? [];
      if (part === '') return;
      const [name = 'none'] = namesIn(path.join(dataDir, folder), part);
      lost.push(...findLost(path.join(dataDir, folder, name)));
    });
    await compactLanding(warehouse, new Data(dataDir), { minParts: 2 });
    const joined = listPlacements().filter(({ to }) => to.includes('part-joined-'));
    expect(joined.map(({ lost: content }) => content)).toEqual([[], []]);
    expect(lost.filter((what) => what.includes('part-joined-'))).toEqual([]);
    expect(before.map(({ file }) => existsSync(file))).toEqual([false, false]);
  });
});
