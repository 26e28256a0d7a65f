import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { pullRows } from '../../../../src/landing/index.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { publishAndReopen } from '../../../helpers/warehouse.js';
import { copyPublished } from '../../../../src/warehouse/builds/copy-published.js';
import { replaceBuild } from '../../../../src/warehouse/builds/replace-build.js';
import { forget } from '../../../../src/maintenance/forget/forget.js';
import { giveCheckpoint } from '../../../../src/warehouse/duckdb/checkpoint.js';
import { openData } from '../../../../src/store/working-copy.js';
import type { SharedData } from '../../../../src/store/data.js';
import { becomeWriter } from '../../../../src/warehouse/duckdb/writer.js';
import { findTexts } from '../../../helpers/find-texts.js';
import { GONE, landPeople, markersOf, plantFiles } from './people.js';

const NOW = new Date('2026-11-10T02:00:00Z');
const MARKERS = GONE.flatMap((id) => [...markersOf(id), markersOf(id)[2]!.toUpperCase()]);
const SUBJECTS = GONE.map((id) => ({ kind: 'person', id }) as const);

/** Plants people in a bucket. A folder takes the place of the bucket: it has the same contract. */
async function plant(root: string): Promise<string> {
  const bucket = path.join(root, 'bucket');
  const planted = path.join(root, 'planted');
  await landPeople(planted);
  plantFiles(planted);
  for (const name of ['landing', 'runs', 'resolve', 'owner-jobs'])
    cpSync(path.join(planted, name), path.join(bucket, name), { recursive: true });
  return bucket;
}

it('removes people from all files of a bucket', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'tidemark-forget-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const bucket = await plant(root);
  const machine = async (name: string): Promise<SharedData> =>
    (await openData({ bucket, storage: {}, dataDir: path.join(root, name) })) as SharedData;
  const [first, second, reader] = [await machine('first'), await machine('second'), await machine('reader')];
  const configOf = ({ dataDir }: SharedData) => ({
    dataDir,
    file: path.join(root, 'tidemark.yaml'),
    storage: {},
    publish: { to: path.join(bucket, 'published'), keep: 2 },
  });
  await pullRows(reader, { streams: ['executives'] });

  // Another machine has written the warehouse and two builds before.
  const before = await becomeWriter(first, { what: 'a test' });
  let warehouse = await openWarehouse(first);
  await loadLanding(warehouse, first);
  await buildModels(warehouse, { now: NOW, personalData: true });
  for (const run of ['one', 'two']) {
    warehouse = await publishAndReopen(warehouse, first.dataDir, { run, now: NOW });
    await copyPublished(configOf(first), first, { what: 'a test' });
  }
  await warehouse.close();
  await giveCheckpoint(first, before.lease);
  await before.lease.release();
  expect((await findTexts(bucket, MARKERS)).length).toBeGreaterThan(MARKERS.length);

  const { lease } = await becomeWriter(second, { what: 'a test' });
  const done = await forget(second, {
    subjects: SUBJECTS,
    now: NOW,
    personalData: true,
    onPublished: () => replaceBuild(configOf(second), second, 'a test'),
  });
  await lease.release();
  expect(done.proof).toMatchObject({ proven: true, remaining: [], unread: [] });
  expect(done.rows).toBeGreaterThan(GONE.length);
  expect(await findTexts(bucket, MARKERS)).toEqual([]);
  expect(await findTexts(second.dataDir, MARKERS)).toEqual([]);

  // Another machine removes its copies of the changed parts when it looks for parts again.
  await pullRows(reader, { streams: ['executives'] });
  expect(await findTexts(reader.dataDir, MARKERS)).toEqual([]);
});
