import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { publishLake, type EarlierLake, type LakeSource } from '../../../../src/warehouse/publish/publish-lake.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';

const source = (table: string, types: Record<string, string>, more: Partial<LakeSource> = {}): LakeSource => ({
  table,
  columns: Object.entries(types).map(([name, type]) => ({ name, type })),
  footer: { run: 'r', description: "It's a thing." },
  state: `${table} 1`,
  ...more,
});

const THINGS = source('core.things', { id: 'BIGINT', names: 'VARCHAR[]' });
const NIGHTS = source(
  'marts.days',
  { id: 'BIGINT', date: 'DATE' },
  {
    nights: new Map([
      ['2026-11-01', 'first'],
      ['2026-11-02', 'second'],
      ['2026-10-01', 'removed'],
    ]),
  },
);
const EMPTY = source('ops.maybe', { date: 'DATE' }, { nights: new Map() });
const EVERY = [THINGS, NIGHTS, EMPTY];

const withTables = <T>(work: (db: Database) => Promise<T>): Promise<T> =>
  withMemory('test', async (db) => {
    for (const schema of ['core', 'marts', 'ops']) await db.run(`CREATE SCHEMA ${schema}`);
    await db.run(`CREATE TABLE core.things AS SELECT 3 - i AS id, NULL::VARCHAR[] AS names FROM range(3) AS t(i)`);
    await db.run(
      `CREATE TABLE marts.days AS FROM (VALUES (1::BIGINT, DATE '2026-11-01'), (2, DATE '2026-11-01'), (1, DATE '2026-11-02')) AS t(id, date)`,
    );
    await db.run(`CREATE TABLE ops.maybe AS SELECT NULL::DATE AS date WHERE false`);
    return work(db);
  });

let folder: string;
let count: number;
let last: EarlierLake | undefined;
beforeEach(() => {
  folder = temporaryDataDir();
  count = 0;
  last = undefined;
});

/** Publishes the next lake after the last one. Returns its files, and how many of them are links. */
async function next(db: Database, sources: readonly LakeSource[] = EVERY) {
  const lake = path.join(folder, `lake${++count}`);
  const earlier = last;
  const tables = await publishLake(db, sources, lake, earlier);
  last = { folder: lake, tables };
  const files = Object.values(tables).flatMap((table) => table.files);
  const inode = (at: string, file: string) => statSync(path.join(at, file), { throwIfNoEntry: false })?.ino;
  const kept = files.filter(({ file }) => earlier && inode(earlier.folder, file) === inode(lake, file));
  return { lake, files, kept: kept.length };
}

const FILES = [
  'core/things/data-core.things 1.parquet',
  'marts/days/2026-11-01-first.parquet',
  'marts/days/2026-11-02-second.parquet',
  'ops/maybe/data-ops.maybe 1.parquet',
];

describe('a lake', () => {
  test('has one file per table, or one per night, with their rows and sizes', async () => {
    await withTables(async (db) => {
      const { lake, files } = await next(db);
      const found = readdirSync(lake, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.parquet'),
      );
      expect(found.toSorted()).toEqual(FILES);
      expect(files.map(({ file, rows, bytes }) => [file, rows, bytes])).toEqual(
        FILES.map((name, i) => [name, [3, 2, 1, 0][i], statSync(path.join(lake, name)).size]),
      );
      expect(await db.rows(`FROM '${path.join(lake, FILES[0] ?? '')}' ORDER BY id`)).toEqual([
        { id: '1', names: null },
        { id: '2', names: null },
        { id: '3', names: null },
      ]);
      expect(await db.rows(`DESCRIBE FROM '${path.join(lake, FILES[3] ?? '')}'`)).toMatchObject([
        { column_name: 'date', column_type: 'DATE' },
      ]);
      expect(
        await db.rows(
          `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${path.join(lake, FILES[0] ?? '')}')`,
        ),
      ).toEqual([
        { key: 'run', value: 'r' },
        { key: 'description', value: "It's a thing." },
      ]);
    });
  });

  test('links the files of unchanged states and writes the others under new names', async () => {
    await withTables(async (db) => {
      await next(db);
      expect(await next(db)).toMatchObject({ kept: 4 });
      await db.run(`INSERT INTO marts.days VALUES (3, DATE '2026-11-02')`);
      const nights = new Map([...(NIGHTS.nights ?? []), ['2026-11-02', 'third'] as const]);
      const { files, kept } = await next(db, [{ ...THINGS, state: 'other' }, { ...NIGHTS, nights }, EMPTY]);
      expect(kept).toBe(2);
      expect(files.map(({ file, rows }) => [file, rows])).toEqual([
        ['core/things/data-other.parquet', 3],
        ['marts/days/2026-11-01-first.parquet', 2],
        ['marts/days/2026-11-02-third.parquet', 2],
        ['ops/maybe/data-ops.maybe 1.parquet', 0],
      ]);
    });
  });

  test('adds a file for the batches that the earlier lake lacks', async () => {
    await withTables(async (db) => {
      await db.run('CREATE TABLE core.added AS SELECT i // 2 AS content_id FROM range(20) AS t(i)');
      const added = (...batches: [id: string, last: number][]): LakeSource[] => [
        source('core.added', { content_id: 'BIGINT' }, { batches: batches.map(([id, end]) => ({ id, last: end })) }),
      ];
      const publish = async (...batches: [id: string, last: number][]) => {
        const { files, kept } = await next(db, added(...batches));
        return [kept, ...files.map(({ file, rows }) => `${/data-(.*)\.parquet$/.exec(file)?.[1]} ${rows}`)];
      };
      expect(await publish(['a', 3], ['b', 5])).toEqual([0, 'b 12']);
      expect(await publish(['a', 3], ['b', 5], ['c', 6], ['d', 9])).toEqual([1, 'b 12', 'd 8']);
      expect(await publish(['a', 3], ['b', 5], ['c', 6], ['d', 9])).toEqual([2, 'b 12', 'd 8']);
      // A warehouse that was restored to an earlier state, and has added other rows since.
      expect(await publish(['a', 3], ['b', 5], ['x', 7])).toEqual([1, 'b 12', 'x 4']);
      // Another warehouse, made from the same answers.
      expect(await publish(['y', 9])).toEqual([0, 'y 20']);
    });
  });

  test('joins the files of batches when there are many', async () => {
    await withTables(async (db) => {
      await db.run('CREATE TABLE core.added AS SELECT i AS content_id FROM range(100) AS t(i)');
      const batches: { id: string; last: number }[] = [];
      const counts: number[] = [];
      for (let night = 0; night < 40; night++) {
        batches.push({ id: `batch ${night}`, last: night });
        const { files } = await next(db, [source('core.added', { content_id: 'BIGINT' }, { batches: [...batches] })]);
        counts.push(files.length);
        expect(files.reduce((sum, { rows }) => sum + rows, 0)).toBe(night + 1);
      }
      expect(Math.max(...counts)).toBe(30);
    });
  });

  test('always writes a table without a known state, under a name that was never used', async () => {
    await withTables(async (db) => {
      const unknown = [{ ...THINGS, state: null }];
      const names = [await next(db, unknown), await next(db, unknown)].map(({ files }) => files[0]?.file);
      expect(new Set(names).size).toBe(2);
    });
  });

  test.each<[string, (file: string) => void]>([
    ['lost a file', (file) => rmSync(file)],
    ['has a file of another size', (file) => writeFileSync(file, 'torn')],
  ])('writes a file again if the earlier lake %s', async (_, damage) => {
    await withTables(async (db) => {
      damage(path.join((await next(db)).lake, FILES[0] ?? ''));
      const second = await next(db);
      expect(second.kept).toBe(3);
      expect(await db.count(`SELECT count(*) FROM '${path.join(second.lake, FILES[0] ?? '')}'`)).toBe(3);
    });
  });
});
