import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openInstance } from '../../../../src/warehouse/duckdb/instance.js';
import { manifestName, readManifests, type LandedPart } from '../../../../src/landing/index.js';
import { loadForRun } from '../../../../src/warehouse/load/load-for-run.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { rebuildWarehouse } from '../../../../src/maintenance/rebuild.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

// The slow cases run only in the long tests.
const IS_LONG = process.env['MANGLED_PARTS'] !== undefined;
const AT = new Date('2026-11-21T02:00:00.000Z');
const company = (id: number, more: object = {}): Answer => ({
  stream: 'companies',
  entity: String(id),
  body: { id, name: `C${id}`, ...more },
});
/** A body within all bounds. With a memory limit of 160 MB, DuckDB cannot load it. */
const huge = (id: number): Answer =>
  company(id, { texts: Array.from({ length: 25 }, (_, i) => String(i).repeat(900_000 / String(i).length)) });

afterEach(() => {
  delete process.env['TIDEMARK_WAREHOUSE_MEMORY'];
});

const READABLE = 'SELECT entity_id FROM ledger.observations WHERE readable ORDER BY entity_id';
const REJECTS = 'SELECT entity_id, reason, path FROM ledger.rejects ORDER BY entity_id';

describe('a part that fails to load', () => {
  it.skipIf(!IS_LONG)(
    'loses only the row that needs too much memory, and a replay with more memory loads it',
    async () => {
      const dataDir = temporaryDataDir();
      await land(dataDir, [company(1), company(2), huge(3), company(4), company(5)]);
      await land(dataDir, [company(6)]);
      process.env['TIDEMARK_WAREHOUSE_MEMORY'] = '160MB';
      const warehouse = await openTestWarehouse(dataDir);
      const loaded = await loadForRun(warehouse, new Data(dataDir), 'r1');
      expect(loaded).toMatchObject({ parts: 2, rows: 6, rejects: 1 });
      expect(loaded.gone).toMatch(/^1 landed answer could not be loaded .*memory limit.*tidemark replay/);
      expect(await warehouse.db.rows(REJECTS)).toEqual([{ entity_id: '3', reason: 'not_loadable', path: '$' }]);
      expect((await warehouse.db.rows(READABLE)).map(({ entity_id }) => entity_id)).toEqual(['1', '2', '4', '5', '6']);
      expect(await loadForRun(warehouse, new Data(dataDir), 'r1')).toMatchObject({ parts: 0, gone: undefined });

      process.env['TIDEMARK_WAREHOUSE_MEMORY'] = '2GB';
      const replayed = await rebuildWarehouse(new Data(dataDir), {
        now: AT,
        personalData: true,
        into: path.join(dataDir, 'again'),
      });
      expect(replayed).toMatchObject({ parts: 2, rows: 6, rejects: 0, faults: [] });
    },
  );

  it.each<[name: string, content: string, expected: 'rejects' | 'fault']>([
    ['bodies of another type', `SELECT * REPLACE (encode(body) AS body) FROM landed`, 'fault'],
    ['bodies as numbers', `SELECT * REPLACE (1 AS body) FROM landed`, 'fault'],
    ['no column for the bodies', `SELECT * EXCLUDE (body) FROM landed`, 'fault'],
    ['no column for the ids', `SELECT * EXCLUDE (entity_id) FROM landed`, 'fault'],
    ['a date that is none', `SELECT * REPLACE ('tomorrow' AS date) FROM landed`, 'fault'],
    ['no rows', `SELECT * FROM landed LIMIT 0`, 'rejects'],
  ])('becomes rejects or is named, and the night goes on: %s', async (_, content, expected) => {
    const dataDir = temporaryDataDir();
    const answers = [company(1), company(2)];
    await land(dataDir, answers);
    await land(dataDir, answers);
    // The first file of a batch decides the types of its columns.
    const [part] = readManifests(dataDir);
    await rewrite(part!, content);
    const warehouse = await openTestWarehouse(dataDir);
    const loaded = await loadForRun(warehouse, new Data(dataDir), 'r1');
    expect((await warehouse.db.rows(READABLE)).map(({ entity_id }) => entity_id)).toEqual(['1', '2']);
    if (expected === 'fault') {
      expect(loaded).toMatchObject({ parts: 1, gone: expect.stringContaining(part!.part) });
    } else {
      expect(loaded.parts).toBe(2);
    }
  });

  it('does not set rows aside when the warehouse is the reason', async () => {
    const dataDir = temporaryDataDir();
    await land(dataDir, [company(1)]);
    const warehouse = await openTestWarehouse(dataDir);
    await warehouse.db.run('DROP TABLE base.company_seen');
    await expect(loadForRun(warehouse, new Data(dataDir), 'r1')).rejects.toThrow(/company_seen/);
    expect(await warehouse.db.count('SELECT count(*) FROM ledger.loaded_parts')).toBe(0);
  });
});

describe('for any bytes of a part', () => {
  const damage = fc.oneof(
    fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) }),
    fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
    fc.record({
      kind: fc.constant('noise' as const),
      at: fc.nat(),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 32 }),
    }),
    fc.record({ kind: fc.constant('all' as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
  );

  it.skipIf(!IS_LONG)('the load ends, and loads the other parts', async () => {
    await fc.assert(
      fc.asyncProperty(damage, fc.boolean(), fc.array(fc.json(), { maxLength: 5 }), async (how, isKnown, bodies) => {
        const dataDir = temporaryDataDir();
        await land(dataDir, [...bodies.map((body, i) => ({ ...company(10 + i), body })), company(1)]);
        const [part] = readManifests(dataDir);
        await land(dataDir, [company(2)]);
        const bytes = mangle(readFileSync(part!.file), how);
        if (isKnown) commit(part!, bytes);
        else writeFileSync(part!.file, bytes);
        const warehouse = await openWarehouse(new Data(dataDir));
        try {
          await loadForRun(warehouse, new Data(dataDir), 'r1');
          expect((await warehouse.db.rows(READABLE)).map(({ entity_id }) => entity_id)).toContain('2');
        } finally {
          await warehouse.close();
        }
      }),
      { numRuns: Number(process.env['MANGLED_PARTS']), seed: 38 },
    );
  });
});

type Damage = { kind: string; at?: number; bit?: number; bytes?: Uint8Array };

function mangle(source: Buffer, { kind, at = 0, bit = 0, bytes = new Uint8Array() }: Damage): Buffer {
  const index = at % source.length;
  if (kind === 'all') return Buffer.from(bytes);
  if (kind === 'cut') return source.subarray(0, index);
  const copy = Buffer.from(source);
  if (kind === 'flip') copy[index] = (copy[index] ?? 0) ^ (1 << bit);
  else copy.set(bytes.subarray(0, copy.length - index), index);
  return copy;
}

/** Writes other content into a part, with a manifest that fits it. */
async function rewrite(part: LandedPart, query: string): Promise<void> {
  const instance = await openInstance(':memory:', {});
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE landed AS FROM read_parquet('${part.file}', hive_partitioning = false)`);
  await connection.run(`COPY (${query}) TO '${part.file}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  commit(part, readFileSync(part.file));
}

function commit(part: LandedPart, bytes: Buffer): void {
  writeFileSync(part.file, bytes);
  const file = path.join(path.dirname(part.file), '_manifest', manifestName(part.part));
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(file, JSON.stringify({ ...manifest, bytes: bytes.length, sha256 }));
}
