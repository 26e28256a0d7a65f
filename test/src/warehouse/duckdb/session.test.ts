import { expect, test } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { prepareSession, useShared } from '../../../../src/warehouse/duckdb/session.js';
import { readShared, readSqlFile, readSqlFolder, readSqlFolderAt } from '../../../../src/warehouse/duckdb/sql-files.js';
import { ROOT } from '../../../helpers/processes.js';
import path from 'node:path';

test('prepares a session in UTC with macros, seeds and declared fields', async () => {
  await withMemory('x', async (db) => {
    await prepareSession(db);
    expect(
      await db.rows(`SELECT current_setting('TimeZone') AS zone, current_setting('preserve_insertion_order') AS kept`),
    ).toEqual([{ zone: 'UTC', kept: false }]);
    expect(
      await db.rows(`SELECT types, inside FROM seed_fields WHERE stream = 'companies' AND path = '$.name'`),
    ).toEqual([{ types: ['string'], inside: false }]);
    for (const { name } of readSqlFolder('seeds', '.csv'))
      expect(await db.count(`SELECT count(*) FROM seed_${path.parse(name).name}`)).toBeGreaterThan(0);
  });
});

test('replaces changed macros and seeds, and reads all seed columns as text', async () => {
  await withMemory('x', async (db) => {
    const macro = (n: number) => ({ name: 'macros/m.sql', text: `CREATE OR REPLACE TEMP MACRO given() AS ${n};` });
    await useShared(db, [macro(1), { name: 'seeds/codes.csv', text: 'code,n\n007,1\n' }]);
    await useShared(db, [macro(2), { name: 'seeds/codes.csv', text: `code,n\n008,2\n009,3\n` }]);
    expect(await db.rows('SELECT given() AS given, code, n FROM seed_codes ORDER BY ALL')).toEqual([
      { given: 2, code: '008', n: '2' },
      { given: 2, code: '009', n: '3' },
    ]);
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
