import { expect, test } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { ensureSchema } from '../../../../src/warehouse/duckdb/schema.js';
import { prepareSession } from '../../../../src/warehouse/duckdb/session.js';
import { withShared } from '../../../../src/warehouse/duckdb/shared.js';
import { readShared, readSqlFile, readSqlFolder, readSqlFolderAt } from '../../../../src/warehouse/duckdb/sql-files.js';
import { ROOT } from '../../../helpers/processes.js';
import path from 'node:path';

test('a warehouse has macros, seeds and declared fields, and works in UTC', async () => {
  await withMemory('x', async (db) => {
    await prepareSession(db);
    // The second call finds a warehouse, as the next open does.
    for (let time = 0; time < 2; time++) await ensureSchema(db);
    expect(
      await db.rows(`SELECT current_setting('TimeZone') AS zone, current_setting('preserve_insertion_order') AS kept`),
    ).toEqual([{ zone: 'UTC', kept: false }]);
    expect(await db.rows(`SELECT types, open FROM seed_fields WHERE stream = 'companies' AND path = '$.name'`)).toEqual(
      [{ types: ['string'], open: false }],
    );
    for (const { name } of readSqlFolder('seeds', '.csv'))
      expect(await db.count(`SELECT count(*) FROM seed_${path.parse(name).name}`)).toBeGreaterThan(0);
    expect(await db.rows(`SELECT comma_texts('a, b') AS texts`)).toEqual([{ texts: ['a', 'b'] }]);
    expect(await db.count(`SELECT count(*) FROM duckdb_functions() WHERE database_name = 'temp'`)).toBe(0);
  });
});

test('uses the macros and seeds of a set of models, also inside other macros, and reads seed columns as text', async () => {
  await withMemory('x', async (db) => {
    await prepareSession(db);
    await ensureSchema(db);
    const set = [
      { name: 'macros/m.sql', text: `CREATE OR REPLACE TEMP MACRO loose_text(t) AS 'other';` },
      { name: 'seeds/indicators.csv', text: 'indicator,n\n007,1\n' },
    ];
    const read = `SELECT loose_texts(['A']) AS texts, (SELECT min(indicator) FROM seed_indicators) AS code`;
    const [installed] = await db.rows(read);
    expect(installed).toMatchObject({ texts: ['a'] });
    await withShared(db, set, async () => {
      expect(await db.rows(read)).toEqual([{ texts: ['other'], code: '007' }]);
    });
    expect(await db.rows(read)).toEqual([installed]);
    const failed = withShared(db, set, () => Promise.reject(new Error('failed')));
    await expect(failed).rejects.toThrow('failed');
    expect(await db.rows(read)).toEqual([installed]);
  });
});

test('lists SQL files sorted by name, with paths outside sql/', () => {
  const names = readSqlFolder('staging').map(({ name }) => name);
  expect(names).toContain('staging/companies_v1.sql');
  expect(names).toEqual(names.toSorted());
  expect(readSqlFile('schema.sql').text).toContain('CREATE TABLE ledger.');
  expect(readSqlFolder('seeds')).toEqual([]);
  expect(readShared().map(({ name }) => path.dirname(name))).toEqual(expect.arrayContaining(['macros', 'seeds']));
  const root = path.join(ROOT, 'sql');
  expect(readSqlFolderAt(root, 'nowhere')).toEqual([]);
  expect(readSqlFolderAt(root, 'seeds')).toEqual([]);
  expect(readSqlFolderAt(root, 'staging').map(({ name }) => name)).toEqual(names);
  expect(readSqlFolderAt(root, 'staging')[0]?.path).toBe(path.join(root, names[0] ?? ''));
});
