import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runFolder } from '../../../src/store/data-folder.js';
import { landRows, PartWriter, readManifests, type NewRow, type PartTarget } from '../../../src/landing/index.js';
import { ListingWriter } from '../../../src/landing/listing-writer.js';
import { findLost, listPlacements, watchDisk } from '../../helpers/recorded-disk.js';
import { Data } from '../../../src/store/data.js';

vi.mock(import('node:fs'), async (original) =>
  (await import('../../helpers/recorded-disk.js')).recordFs(await original()),
);
vi.mock(import('node:fs/promises'), async (original) =>
  (await import('../../helpers/recorded-disk.js')).recordFsPromises(await original()),
);

let target: PartTarget;

beforeEach(() => {
  const dataDir = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidemark-power-cut-')));
  target = {
    data: new Data(dataDir),
    stream: 'companies',
    run: 'run-1',
    date: '2026-11-20',
    market: 'demo',
    chunk: 'companies-00000',
  };
  watchDisk(dataDir);
});
afterEach(() => rmSync(target.data.dataDir, { recursive: true, force: true }));

const row = (entity: string): NewRow => ({
  request_key: `GET /v2/companies/${entity}`,
  entity_id: entity,
  row_kind: 'record',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.123Z',
  body: `{"id":${entity}}`,
});

const manifests = (): string[] =>
  readdirSync(path.join(runFolder(target), '_manifest')).map((name) => path.join(runFolder(target), '_manifest', name));

describe('a power cut', () => {
  test('keeps part and manifest of a committed chunk after a power cut', async () => {
    await landRows(target, [row('1'), row('2')]);
    expect([...readManifests(target.data.dataDir).map(({ file }) => file), ...manifests()].flatMap(findLost)).toEqual(
      [],
    );
  });

  test('names no part or manifest before its content is durable', async () => {
    await landRows(target, [row('1')]);
    const folder = 'landing/companies/date=2026-11-20/run=run-1';
    expect(listPlacements()).toEqual([
      { to: expect.stringMatching(`^${folder}/part-companies-00000\\.[0-9a-f]{12}\\.parquet$`) as string, lost: [] },
      { to: `${folder}/_manifest/part-companies-00000.json`, lost: [] },
    ]);
  });

  test('keeps rows of an open part after sync() and a power cut', async () => {
    const writer = await PartWriter.open(target);
    await writer.append(row('1'));
    const spool = path.join(runFolder(target), '_spool', 'part-companies-00000.spool');
    await writer.sync();
    expect(findLost(spool)).not.toContainEqual(expect.stringContaining('content'));
    await writer.close();
  });

  test('keeps every page of a complete listing after a power cut', async () => {
    const listing = { ...target, stream: 'tenders' as const, chunk: 'tenders' };
    const spool = path.join(runFolder(listing), '_spool', 'part-tenders-00000.spool');
    const lost: string[] = [];
    watchDisk(target.data.dataDir, (to) => {
      if (to.endsWith('complete-tenders.json'))
        lost.push(...findLost(spool).filter((what) => what.startsWith('content')));
    });
    const pages = await ListingWriter.open(listing);
    await pages.append(row('1'));
    await pages.commit();
    expect(lost).toEqual([]);
    expect(listPlacements()[0]).toEqual({ to: expect.stringContaining('complete-tenders.json'), lost: [] });
    expect(
      readManifests(target.data.dataDir)
        .map(({ file }) => file)
        .flatMap(findLost),
    ).toEqual([]);
  });
});
