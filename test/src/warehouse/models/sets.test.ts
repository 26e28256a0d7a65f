import { expect, it } from 'vitest';
import { assembleModels, type ModelSet } from '../../../../src/warehouse/models/models.js';
import {
  heldSet,
  previousSet,
  readSet,
  readSets,
  saveSet,
  type AppliedSet,
} from '../../../../src/warehouse/models/sets.js';
import { readShared } from '../../../../src/warehouse/duckdb/sql-files.js';
import { openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';

/** Sets in the order they came into force; a rollback names the set it restored. */
function applied(...sets: { files: Record<string, string>; ofSet?: number }[]): AppliedSet[] {
  return sets.map(({ files, ofSet = null }, i) => ({
    set: i + 1,
    origin: ofSet === null ? 'run' : 'rollback',
    ofSet,
    appliedAt: '2026-11-20T02:00:00Z',
    files: new Map(Object.entries(files)),
  }));
}

const a = { 'core/x.sql': 'a' };
const b = { 'core/x.sql': 'b' };
const c = { 'core/x.sql': 'b', 'core/y.sql': 'c' };

it('rolls back to the last earlier set with other files', () => {
  expect(previousSet([])).toBeUndefined();
  expect(previousSet(applied({ files: a }))).toBeUndefined();
  expect(previousSet(applied({ files: a }, { files: b }))?.set).toBe(1);
  expect(previousSet(applied({ files: a }, { files: b }, { files: b }))?.set).toBe(1);
  expect(previousSet(applied({ files: a }, { files: b }, { files: c }))?.set).toBe(2);
});

it('rolls back further after a rollback', () => {
  expect(previousSet(applied({ files: a }, { files: b }, { files: c }, { files: b, ofSet: 2 }))?.set).toBe(1);
  expect(previousSet(applied({ files: a }, { files: b }, { files: a, ofSet: 1 }))).toBeUndefined();
});

it('names the set that a rollback restored, not the rollback', () => {
  expect(previousSet(applied({ files: a }, { files: b }, { files: a, ofSet: 1 }, { files: c }))?.set).toBe(1);
});

it.each(['macros/m.sql', 'seeds/s.csv'])('compares %s only if both sets kept shared files', (shared) => {
  expect(previousSet(applied({ files: a }, { files: { ...a, [shared]: 'm' } }))).toBeUndefined();
  expect(previousSet(applied({ files: { ...a, [shared]: 'l' } }, { files: { ...a, [shared]: 'm' } }))?.set).toBe(1);
  expect(previousSet(applied({ files: { ...a, [shared]: 'm' } }, { files: { ...b } }))?.set).toBe(1);
});

const NOW = new Date('2026-11-20T02:00:00Z');
const NO_MACROS = { name: 'macros/none.sql', text: '-- none' };

/** A set of one model that returns the number. */
async function setOf(n: number, shared = [NO_MACROS]): Promise<ModelSet> {
  const text = `/*\nmodel: core.x\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: INTEGER | Id\n*/\nSELECT ${n} AS id\n`;
  return assembleModels([{ name: 'core/x.sql', text }], shared);
}

it('saves only sets with other files, and every rollback', async () => {
  const { db } = await openTestWarehouse(temporaryDataDir());
  const origins = async () => (await readSets(db)).map(({ set, origin, ofSet }) => ({ set, origin, ofSet }));
  const [one, two] = [await setOf(1), await setOf(2)];
  await saveSet(db, one, { origin: 'run', now: NOW });
  await saveSet(db, one, { origin: 'apply', now: NOW });
  expect(await origins()).toEqual([{ set: 1, origin: 'run', ofSet: null }]);
  await saveSet(db, two, { origin: 'apply', now: NOW });
  expect(await heldSet(db)).toBeUndefined();
  await saveSet(db, two, { origin: 'rollback', ofSet: 2, now: NOW });
  const held = await heldSet(db);
  expect(held).toMatchObject({ set: 3, origin: 'rollback', ofSet: 2, appliedAt: '2026-11-20T02:00:00Z' });
  // Runs and replays build the restored set, with its own macros or with the current ones. The rollback stays in force.
  for (const origin of ['run', 'replay'] as const)
    for (const set of [two, await setOf(2, readShared())]) await saveSet(db, set, { origin, now: NOW });
  expect(await heldSet(db)).toEqual(held);
  // `apply` ends the rollback, although the files are the same.
  await saveSet(db, two, { origin: 'apply', now: NOW });
  expect(await heldSet(db)).toBeUndefined();
  expect(await origins()).toEqual([
    { set: 1, origin: 'run', ofSet: null },
    { set: 2, origin: 'apply', ofSet: null },
    { set: 3, origin: 'rollback', ofSet: 2 },
    { set: 4, origin: 'apply', ofSet: null },
  ]);
});

it('reads a saved set with its own macros, or with those on disk', async () => {
  const { db } = await openTestWarehouse(temporaryDataDir());
  const own = await setOf(1);
  const bare = await setOf(1, []);
  await saveSet(db, own, { origin: 'run', now: NOW });
  await saveSet(db, bare, { origin: 'run', now: NOW });
  expect(await readSet(db, { set: 1 })).toEqual(own);
  expect(await readSet(db, { set: 2 })).toEqual(await setOf(1, readShared()));
  const files = (await readSets(db)).map((set) => [...set.files.keys()]);
  expect(files).toEqual([['core/x.sql', 'macros/none.sql'], ['core/x.sql']]);
});
