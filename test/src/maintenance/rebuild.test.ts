import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { WarehouseBusyError } from '../../../src/warehouse/duckdb/errors.js';
import { openWarehouse } from '../../../src/warehouse/duckdb/open.js';
import { publishedFile, warehouseFile } from '../../../src/store/data-folder.js';
import { queryPublished } from '../../../src/warehouse/builds/published.js';
import { listBuilds } from '../../../src/warehouse/builds/builds.js';
import { readManifests } from '../../../src/landing/index.js';
import { rebuildWarehouse, type RebuildRequest } from '../../../src/maintenance/rebuild.js';
import { land, temporaryDataDir, type Answer } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

const REQUEST: RebuildRequest = { now: new Date('2026-11-20T12:00:00Z'), personalData: false };

const company = (id: number, day: number, body: unknown = { id, name: `C${id}` }): Answer => ({
  stream: 'companies',
  entity: String(id),
  run: `n${day}`,
  date: `2026-11-0${day}`,
  at: `2026-11-0${day}T02:00:00.000Z`,
  body,
});

/** A data folder with one company on each of four days; the answer of the second day is malformed, too. */
async function landDays(): Promise<string> {
  const dataDir = temporaryDataDir();
  for (const day of [1, 2, 3, 4]) await land(dataDir, [company(day, day)]);
  await land(dataDir, [company(9, 2, 'x')]);
  return dataDir;
}

const idsIn = async (dataDir: string) =>
  (await queryPublished(dataDir, 'SELECT company_id FROM core.companies ORDER BY 1')).flat();

describe('rebuildWarehouse', () => {
  test('builds and publishes every landed part and reports steps and counts', async () => {
    const dataDir = await landDays();
    const steps: string[] = [];
    const rebuilt = await rebuildWarehouse(new Data(dataDir), { ...REQUEST, onStep: (step) => steps.push(step) });
    expect(steps).toEqual(['load', 'models', 'publish']);
    expect(rebuilt).toMatchObject({ parts: 5, rows: 5, rejects: 1, faults: [], notes: [] });
    expect(rebuilt.published.file).toBe(path.join('published', 'market.duckdb'));
    expect(listBuilds(dataDir)).toMatchObject([{ run: 'replay', builtAt: '2026-11-20T12:00:00.000Z' }]);
    expect(await idsIn(dataDir)).toEqual([1, 2, 3, 4]);
    expect(readdirSync(path.dirname(warehouseFile(dataDir)))).toEqual(['tidemark.duckdb']);
  });

  test('loads only the parts of the given days, into another folder', async () => {
    const dataDir = await landDays();
    const into = path.join(dataDir, 'rebuilt', 'some');
    await rebuildWarehouse(new Data(dataDir), { ...REQUEST, from: '2026-11-02', to: '2026-11-03', into });
    expect(await idsIn(into)).toEqual([2, 3]);
    // The data folder itself stays as it was.
    expect(readdirSync(dataDir).toSorted()).toEqual(['landing', 'rebuilt']);
    expect(readdirSync(into).toSorted()).toEqual(['published', 'rejects', 'warehouse']);
  });

  test('names damaged parts and loads all others', async () => {
    const dataDir = await landDays();
    const [bad] = readManifests(dataDir, { stream: 'companies', run: 'n3' });
    appendFileSync(bad?.file ?? '', 'x');
    const rebuilt = await rebuildWarehouse(new Data(dataDir), REQUEST);
    expect(rebuilt).toMatchObject({
      parts: 4,
      rows: 4,
      rejects: 1,
      faults: [expect.stringContaining(bad?.file ?? '')],
    });
    expect(await idsIn(dataDir)).toEqual([1, 2, 4]);
  });

  test('replaces an unreadable warehouse and removes files of killed calls', async () => {
    const dataDir = await landDays();
    const file = warehouseFile(dataDir);
    mkdirSync(path.dirname(file), { recursive: true });
    for (const end of ['', '.wal', '.rebuild', '.rebuild.wal']) writeFileSync(file + end, 'no database');
    for (const end of ['.tmp', '.rebuild.tmp']) mkdirSync(path.join(file + end, 'spilled'), { recursive: true });
    await rebuildWarehouse(new Data(dataDir), REQUEST);
    expect(await idsIn(dataDir)).toEqual([1, 2, 3, 4]);
    expect(readdirSync(path.dirname(file))).toEqual(['tidemark.duckdb']);
  });

  test('refuses to start while a worker writes the warehouse', async () => {
    const dataDir = await landDays();
    const warehouse = await openWarehouse(new Data(dataDir));
    await expect(rebuildWarehouse(new Data(dataDir), REQUEST)).rejects.toBeInstanceOf(WarehouseBusyError);
    expect(existsSync(`${warehouseFile(dataDir)}.rebuild`)).toBe(false);
    await warehouse.close();
  });

  test('keeps the old warehouse and build if the models fail, and releases the lock', async () => {
    const dataDir = await landDays();
    await rebuildWarehouse(new Data(dataDir), REQUEST);
    const [before, build] = [readFileSync(warehouseFile(dataDir)), listBuilds(dataDir)];
    const modelsDir = path.join(dataDir, 'own');
    mkdirSync(path.join(modelsDir, 'marts'), { recursive: true });
    writeFileSync(
      path.join(modelsDir, 'marts', 'thing.sql'),
      '/*\nmodel: marts.thing\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n*/\nSELECT company_id AS id FROM core.nowhere\n',
    );
    await expect(rebuildWarehouse(new Data(dataDir), { ...REQUEST, modelsDir })).rejects.toThrow('core.nowhere');
    expect(readFileSync(warehouseFile(dataDir)).equals(before)).toBe(true);
    expect(listBuilds(dataDir)).toEqual(build);
    rmSync(modelsDir, { recursive: true });
    await rebuildWarehouse(new Data(dataDir), REQUEST);
  });

  test('applies readers, personal data and the number of builds', async () => {
    const dataDir = await landDays();
    const contacts = { mobile: [{ type: 'office', name: '+45 1', id: 9 }], name: [], email: [] };
    await land(dataDir, [{ stream: 'tender_details', entity: 't1', body: { slug: 't1', contacts } }]);
    const names = 'SELECT name FROM core.tender_contacts';
    await rebuildWarehouse(new Data(dataDir), REQUEST);
    expect(await queryPublished(dataDir, names)).toEqual([[null]]);
    expect(statSync(publishedFile(dataDir)).mode & 0o044).toBe(0);
    const later = { now: new Date('2026-11-20T12:01:00Z'), personalData: true, readers: 'everyone', keep: 1 } as const;
    await rebuildWarehouse(new Data(dataDir), later);
    expect(await queryPublished(dataDir, names)).toEqual([['+45 1']]);
    expect(statSync(publishedFile(dataDir)).mode & 0o044).toBe(0o044);
    // The replaced build is kept for the grace period, whatever `keep` says.
    expect(listBuilds(dataDir)).toHaveLength(2);
  });
});
