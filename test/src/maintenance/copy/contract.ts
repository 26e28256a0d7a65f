import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { currentBuild } from '../../../../src/warehouse/builds/builds.js';
import { openDataFolder } from '../../../../src/store/folder-identity.js';
import { publishedFile, runFolder, warehouseFile } from '../../../../src/store/data-folder.js';
import { checkCopy, copyData, type CopyResult } from '../../../../src/maintenance/copy/copy-data.js';
import { takeInventory } from '../../../../src/maintenance/copy/inventory.js';
import type { Place } from '../../../../src/maintenance/copy/place.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { quote } from '../../../../src/warehouse/duckdb/sql-files.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { spoolFile } from '../../../../src/landing/index.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { LocalFolder } from '../../../../src/store/local-folder.js';
import type { Storage } from '../../../../src/store/storage.js';
import { findDifferences } from '../../../helpers/compare-published.js';
import { spoolOf } from '../../../helpers/spool.js';
import { land, marketNight, prepareBuilt, prepareOnce, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const SPOOLED = { data: new Data(''), stream: 'watch_events', run: 'webhook', date: '2026-11-20' } as const;
const FRAMES = spoolOf(
  ['first', 'second'].map((body) => ({
    request_key: 'WEBHOOK /delivery',
    entity_id: null,
    row_kind: 'webhook',
    status: 200,
    fetched_at: '2026-11-20T02:00:00.000Z',
    body,
  })),
);
const STATE = {
  'calibration/m.json': '{"calibrated":1}',
  'owner-jobs/open/7.json': '{"company":"7"}',
  'runs/r1/requests/00000.ndjson': '{"requests":3}\n',
  'runs/r1/due/companies/plan.json': '{"chunks":0}',
  'secrets/payee-salt': 'ab\n',
  'secrets/forgotten': 'cd\n',
  'secrets/api-key': 'never copied',
} as const;
const KEPT_HERE = ['runs/r1/due/companies/plan.json', 'secrets/api-key'];

export const folder = (dataDir: string): Place => ({ storage: new LocalFolder(dataDir), dataDir });

/** Prepares a data folder with one published night, deliveries in a spool, and files of every other kind. */
export async function prepareFolder(dataDir: string): Promise<void> {
  await openDataFolder(dataDir);
  await addNight(dataDir, '2026-11-20', [1, 2, 3]);
  for (const [key, text] of Object.entries(STATE)) write(dataDir, key, text);
  const spool = spoolFile(runFolder({ ...SPOOLED, data: new Data(dataDir) }), 'r0123456789abcdef-1-1');
  write(dataDir, path.relative(dataDir, spool), `${FRAMES.toString()}{"body":"cut`);
}

/** Lands, loads and publishes a night. */
export async function addNight(dataDir: string, date: string, ids: number[]): Promise<void> {
  const run = `r-${date}`;
  if (!existsSync(warehouseFile(dataDir))) await prepareBuilt(dataDir, marketNight({ run, date, ids }));
  else await land(dataDir, marketNight({ run, date, ids }));
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse);
    await publish(warehouse, dataDir, { run, now: new Date(`${date}T04:00:00Z`) });
  } finally {
    await warehouse.close();
  }
}

export function write(dataDir: string, key: string, text: string): void {
  const file = path.join(dataDir, key);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Returns the tables of two DuckDB files whose rows differ. */
async function differentTables(left: string, right: string): Promise<string[]> {
  return withMemory('a test', async (db) => {
    await db.run(`ATTACH ${quote(left)} AS l (READ_ONLY)`);
    await db.run(`ATTACH ${quote(right)} AS r (READ_ONLY)`);
    const tables = await db.rows<{ name: string }>(
      `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE database_name = 'l' AND NOT internal`,
    );
    expect(tables.length).toBeGreaterThan(20);
    const different: string[] = [];
    for (const { name } of tables) {
      const rows = `(FROM l.${name} EXCEPT ALL FROM r.${name}) UNION ALL (FROM r.${name} EXCEPT ALL FROM l.${name})`;
      if ((await db.count(`SELECT count(*) FROM (${rows})`)) > 0) different.push(name);
    }
    return different;
  });
}

/** A place whose n-th change fails, counted from 0. */
function failing(place: Place, at: number): Place {
  const { storage } = place;
  let changes = 0;
  const change = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    // The heartbeats of the lease depend on the time.
    if (!key.startsWith('warehouse/writer') && changes++ === at) throw new Error('the test ends here');
    return work();
  };
  const broken: Storage = {
    name: storage.name,
    read: (key) => storage.read(key),
    list: (prefix) => storage.list(prefix),
    download: (key, file, expected) => storage.download(key, file, expected),
    digest: (key, expected) => storage.digest(key, expected),
    create: (key, body) => change(key, () => storage.create(key, body)),
    replace: (key, body, version) => change(key, () => storage.replace(key, body, version)),
    upload: (key, file) => change(key, () => storage.upload(key, file)),
    remove: (key) => change(key, () => storage.remove(key)),
  };
  return { ...place, storage: broken };
}

/** Returns the manifests of a place whose part is missing. */
async function orphans(place: Place): Promise<string[]> {
  const items = await takeInventory(place);
  const missing: string[] = [];
  for (const { path: key, kind } of items.values()) {
    if (kind !== 'manifest') continue;
    const { part } = JSON.parse((await place.storage.read(key))?.body.toString('utf8') ?? '{}') as { part: string };
    if (!items.has(path.posix.join(path.posix.dirname(key), '..', part))) missing.push(key);
  }
  return missing;
}

/** Tests copies between a folder and a bucket. */
export function describeCopies(name: string, openBucket: () => Place): void {
  describe(`copies to ${name} and back`, () => {
    const prepared = prepareOnce(prepareFolder);

    it('bring equal files and tables', async () => {
      const [source, bucket, back] = [folder(prepared()), openBucket(), folder(temporaryDataDir())];
      const there = await copyData(source, bucket);
      expect(there).toMatchObject({ same: 0, replaced: [], build: currentBuild(source.dataDir ?? '') });
      expect(there.verified.differences).toEqual([]);
      expect(there.verified.files).toBeGreaterThan(there.sent.files);
      const returned = await copyData(bucket, back);
      expect(returned.verified.differences).toEqual([]);
      const [from, to] = [source.dataDir ?? '', back.dataDir ?? ''];
      expect(await differentTables(publishedFile(from), publishedFile(to))).toEqual([]);
      expect(await findDifferences(to)).toEqual([]);
      expect(readFileSync(warehouseFile(to)).equals(readFileSync(warehouseFile(from)))).toBe(true);
      for (const [key, text] of Object.entries(STATE)) {
        if (KEPT_HERE.includes(key)) expect(existsSync(path.join(to, key))).toBe(false);
        else expect(readFileSync(path.join(to, key), 'utf8')).toBe(text);
      }
      const spool = spoolFile(runFolder({ ...SPOOLED, data: new Data(to) }), 'r0123456789abcdef-1-1');
      expect(readFileSync(spool)).toEqual(FRAMES);
      expect((await checkCopy(source, back)).verified.differences).toEqual([]);
      await addNight(to, '2026-11-21', [1, 2, 3, 4]);
      await addNight(from, '2026-11-21', [1, 2, 3, 4]);
      const tables = await differentTables(publishedFile(from), publishedFile(to));
      expect(tables.filter((table) => /^(core|marts)\./.test(table))).toEqual([]);
    });

    it('send nothing twice', async () => {
      const [source, bucket] = [folder(prepared()), openBucket()];
      const first = await copyData(source, bucket);
      const second = await copyData(source, bucket);
      expect(second.sent).toEqual({ files: 0, bytes: 0 });
      expect(second.same).toBe(first.sent.files);
      expect(second.verified).toEqual(first.verified);
    });

    it('continue with the next night, and name the replaced files', async () => {
      const [source, bucket] = [folder(prepared()), openBucket()];
      await copyData(source, bucket);
      await addNight(source.dataDir ?? '', '2026-11-21', [1, 2]);
      const next = await copyData(source, bucket);
      expect(next.verified.differences).toEqual([]);
      expect(next.replaced).toContain('warehouse/tidemark.duckdb');
      expect(next.build).toBe(currentBuild(source.dataDir ?? ''));
    });

    it('continue after any interruption, and never show a manifest without its part', async () => {
      const [source, bucket] = [folder(prepared()), openBucket()];
      let done: CopyResult | undefined;
      for (let at = 0; done === undefined && at < 200; at += 7) {
        done = await copyData(source, failing(bucket, at)).catch((error: Error) => {
          expect(error.message).toBe('the test ends here');
          return undefined;
        });
        expect(await orphans(bucket)).toEqual([]);
      }
      expect(done?.verified.differences).toEqual([]);
    });

    it('find a changed byte and a missing file', async () => {
      const [source, bucket] = [folder(prepared()), openBucket()];
      await copyData(source, bucket);
      const parts = [...(await takeInventory(bucket)).values()].filter(({ kind }) => kind === 'part');
      const [damaged, lost] = parts.map(({ path: key }) => key);
      const body = Buffer.from((await bucket.storage.read(damaged ?? ''))?.body ?? '');
      body[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 1;
      const file = path.join(temporaryDataDir(), 'damaged');
      writeFileSync(file, body);
      await bucket.storage.upload(damaged ?? '', file);
      await bucket.storage.remove(lost ?? '');
      const expected = [
        { path: damaged, why: 'different' },
        { path: lost, why: 'missing' },
      ];
      expect((await checkCopy(source, bucket)).verified.differences).toEqual(expected);
      // The lost file is sent again. The damaged one is not replaced, because a landed part never changes.
      expect((await copyData(source, bucket)).verified.differences).toEqual(expected.slice(0, 1));
      await expect(copyData(bucket, folder(temporaryDataDir()))).rejects.toThrow('is not complete');
    });

    it('refuse a target with other or newer data', async () => {
      const [source, bucket] = [folder(prepared()), openBucket()];
      await copyData(source, bucket);
      const other = folder(prepared());
      rmSync(path.join(other.dataDir ?? '', 'folder.json'));
      await openDataFolder(other.dataDir ?? '');
      await expect(copyData(other, bucket)).rejects.toThrow('holds other data');
      await expect(checkCopy(other, bucket)).rejects.toThrow('holds other data');
      const newer = folder(temporaryDataDir());
      await copyData(bucket, newer);
      await addNight(newer.dataDir ?? '', '2026-11-21', [1]);
      await expect(copyData(bucket, newer)).rejects.toThrow('landed parts that the source lacks');
      await copyData(newer, bucket);
      const unknown = temporaryDataDir();
      write(unknown, 'calibration/m.json', '{}');
      await expect(copyData(bucket, folder(unknown))).rejects.toThrow('files of unknown origin');
    });

    it('refuse an open run and a living writer', async () => {
      const [source, bucket] = [folder(prepared()), openBucket()];
      const dataDir = source.dataDir ?? '';
      write(dataDir, 'landing/runs/date=2026-11-22/run=r9/_manifest/part-open.json', '{"part":"part-open.parquet"}');
      await expect(copyData(source, bucket)).rejects.toThrow('The run 2026-11-22 r9 has a begin but no end');
      const writer = await openWarehouse(new Data(dataDir));
      await expect(copyData(source, bucket, { abandonRuns: true })).rejects.toThrow('is in use');
      await writer.close();
      expect((await copyData(source, bucket, { abandonRuns: true })).verified.differences).toEqual([]);
    });
  });
}
