import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { parseModel, type Model } from '../../../../src/warehouse/models/models.js';
import { publishLake } from '../../../../src/warehouse/publish/publish-lake.js';
import type { LakeFiles } from '../../../../src/warehouse/builds/lake-index.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';

function modelOf(table: string, key: string, columns: string, nullable = ''): Model {
  const text = `/*\nmodel: ${table}\nkind: table\nversion: 3\ngrain: thing\nkey: [${key}]\nnullable: [${nullable}]\ndescription: It's a thing.\ncolumns:\n  ${columns}\n*/\nSELECT 1\n`;
  const model = parseModel({ name: `${table.replace('.', '/')}.sql`, text });
  return { ...model, parents: [], fingerprint: `print of ${table}` };
}

const THINGS = modelOf('core.things', 'id', "id: BIGINT | The thing's id\n  names: VARCHAR[] | Names");
const DAYS = modelOf('marts.days', 'id, date', 'id: BIGINT | Id\n  date: DATE | Day');
const MAYBE = modelOf('ops.maybe', 'date', 'date: DATE | Day', 'date');
const TEXTS = modelOf('ops.texts', 'date', 'date: VARCHAR | Day as text');
const EVERY = [THINGS, DAYS, MAYBE, TEXTS];

/** Runs the work on a database with a build of four tables attached. */
const withBuild = <T>(work: (db: Database) => Promise<T>): Promise<T> =>
  withMemory('test', async (db) => {
    await db.run(`ATTACH ':memory:' AS build`);
    for (const schema of ['core', 'marts', 'ops']) await db.run(`CREATE SCHEMA build.${schema}`);
    await db.run(`CREATE TABLE build.core.things AS SELECT 1::BIGINT AS id, NULL::VARCHAR[] AS names`);
    await db.run(
      `CREATE TABLE build.marts.days AS FROM (VALUES (1::BIGINT, DATE '2026-11-01'), (2, DATE '2026-11-01'), (1, DATE '2026-11-02')) AS t(id, date)`,
    );
    await db.run(`CREATE TABLE build.ops.maybe AS SELECT NULL::DATE AS date WHERE false`);
    await db.run(`CREATE TABLE build.ops.texts AS SELECT '2026-11-01' AS date`);
    return work(db);
  });

let folder: string;
let count: number;
beforeEach(() => {
  folder = temporaryDataDir();
  count = 0;
});

/** Publishes the next lake; by default it takes files over from the one before. */
async function next(db: Database, models: Model[] = EVERY, previous = count === 0 ? null : `lake${count}`) {
  const lake = path.join(folder, `lake${++count}`);
  const counts = await publishLake(db, models, lake, {
    run: `r${count}`,
    previous: previous === null ? null : path.join(folder, previous),
  });
  return { lake, ...counts };
}

const indexOf = (lake: string) => JSON.parse(readFileSync(path.join(lake, '_files.json'), 'utf8')) as LakeFiles;
const inode = (lake: string, name: string) => statSync(path.join(lake, name)).ino;

const FILES = [
  'core/things/data.parquet',
  'marts/days/2026-11-01.parquet',
  'marts/days/2026-11-02.parquet',
  'ops/maybe/data.parquet',
  'ops/texts/data.parquet',
];

describe('a lake', () => {
  test('has one file for all dates of a table whose dates are not nights', async () => {
    const rates = { ...modelOf('core.fx_rates', 'date', 'date: DATE | Day of the rate'), dates: 'days' as const };
    await withBuild(async (db) => {
      await db.run(
        `CREATE TABLE build.core.fx_rates AS FROM (VALUES (DATE '2026-11-01'), (DATE '2026-11-02')) AS t(date)`,
      );
      const { lake } = await next(db, [rates]);
      expect(Object.keys(indexOf(lake))).toEqual(['core/fx_rates/data.parquet']);
    });
  });

  test('writes one lake file per table, or per day for date keys', async () => {
    await withBuild(async (db) => {
      const { lake, written, kept } = await next(db);
      expect({ written, kept }).toEqual({ written: 5, kept: 0 });
      const files = readdirSync(lake, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.parquet'),
      );
      expect(files.toSorted()).toEqual(FILES);
      expect(Object.entries(indexOf(lake)).map(([name, { rows, bytes }]) => [name, rows, bytes])).toEqual(
        FILES.map((name, i) => [name, [1, 2, 1, 0, 1][i], statSync(path.join(lake, name)).size]),
      );
      const days = path.join(lake, 'marts', 'days', '2026-11-01.parquet');
      expect(await db.rows(`FROM '${days}'`)).toEqual([
        { id: '1', date: '2026-11-01' },
        { id: '2', date: '2026-11-01' },
      ]);
      expect(await db.rows(`DESCRIBE FROM '${path.join(lake, FILES[3] ?? '')}'`)).toMatchObject([
        { column_name: 'date', column_type: 'DATE' },
      ]);
      expect(await db.rows(`SELECT current_setting('preserve_insertion_order') AS kept`)).toEqual([{ kept: false }]);
    });
  });

  test('describes each lake file in its footer', async () => {
    await withBuild(async (db) => {
      const { lake } = await next(db);
      const footer = await db.rows<{ key: string; value: string }>(
        `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${path.join(lake, FILES[0] ?? '')}')`,
      );
      expect(Object.fromEntries(footer.map(({ key, value }) => [key, value]))).toEqual({
        run: 'r1',
        model: 'core.things',
        version: '3',
        fingerprint: 'print of core.things',
        rows: '1',
        description: "It's a thing.",
        columns: JSON.stringify({ id: "The thing's id", names: 'Names' }),
      });
    });
  });

  test('links files with the same content and writes changed ones', async () => {
    await withBuild(async (db) => {
      const first = await next(db);
      await db.run(`INSERT INTO build.marts.days VALUES (3, DATE '2026-11-02')`);
      await db.run(`UPDATE build.core.things SET names = []`);
      const second = await next(db);
      expect(second).toMatchObject({ written: 2, kept: 3 });
      const same = FILES.filter((name) => inode(first.lake, name) === inode(second.lake, name));
      expect(same).toEqual([FILES[1], FILES[3], FILES[4]]);
      expect(Object.keys(indexOf(second.lake))).toEqual(FILES);
      // Another text of a model makes another footer, even if its rows are the same.
      const edited = { ...THINGS, fingerprint: 'other' };
      expect(await next(db, [edited, DAYS, MAYBE, TEXTS])).toMatchObject({ written: 1, kept: 4 });
    });
  });

  test('writes a table whose rows got the same new value in the last column', async () => {
    await withBuild(async (db) => {
      const counts = modelOf('core.things', 'id', 'id: BIGINT | Id\n  total: BIGINT | Count');
      await db.run(
        'CREATE OR REPLACE TABLE build.core.things AS FROM (VALUES (1::BIGINT, 5::BIGINT), (2, 5)) AS t(id, total)',
      );
      await next(db, [counts]);
      await db.run('UPDATE build.core.things SET total = 6');
      expect(await next(db, [counts])).toMatchObject({ written: 1, kept: 0 });
    });
  });

  test.each<[string, (lake: string) => void, number]>([
    ['without its index', (lake) => rmSync(path.join(lake, '_files.json')), 0],
    ['with an index that is no JSON', (lake) => writeFileSync(path.join(lake, '_files.json'), '{'), 0],
    ['that lost a file', (lake) => rmSync(path.join(lake, FILES[0] ?? '')), 4],
    ['with a file of another size', (lake) => writeFileSync(path.join(lake, FILES[0] ?? ''), 'torn'), 4],
  ])('reuses only intact files of a lake %s', async (_, damage, kept) => {
    await withBuild(async (db) => {
      damage((await next(db)).lake);
      const second = await next(db);
      expect(second).toMatchObject({ written: 5 - kept, kept });
      expect(await db.count(`SELECT count(*) FROM '${path.join(second.lake, FILES[0] ?? '')}'`)).toBe(1);
    });
  });

  test('leaves no index and restores the setting when a table is missing', async () => {
    await withBuild(async (db) => {
      await db.run('DROP TABLE build.ops.texts');
      await db.run('SET preserve_insertion_order = false');
      await expect(next(db)).rejects.toThrow('texts does not exist');
      expect(existsSync(path.join(folder, 'lake1', '_files.json'))).toBe(false);
      expect(await db.rows(`SELECT current_setting('preserve_insertion_order') AS kept`)).toEqual([{ kept: false }]);
    });
  });
});
