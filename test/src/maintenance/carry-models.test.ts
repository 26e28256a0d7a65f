import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/duckdb/open.js';
import { publishedFile, warehouseFile } from '../../../src/store/data-folder.js';
import { buildModels } from '../../../src/warehouse/models/run-models.js';
import { readSets } from '../../../src/warehouse/models/sets.js';
import { publish } from '../../../src/warehouse/publish/publish.js';
import { carryModels } from '../../../src/maintenance/carry-models.js';
import { rebuildWarehouse } from '../../../src/maintenance/rebuild.js';
import { LISTS_OPEN_FILES, openFilesBelow } from '../../helpers/open-files.js';
import { openTestWarehouse, temporaryDataDir } from '../../helpers/warehouse.js';

const [FIRST, LATER] = [new Date('2026-11-20T12:00:00Z'), new Date('2026-11-21T12:00:00Z')];
const RETIRED = `INSERT INTO base.models BY NAME
  SELECT 'marts.gone' AS model, 1 AS version, 'table' AS kind, 'f' AS fingerprint, TIMESTAMPTZ '2026-01-01 00:00:00Z' AS applied_at,
    'retired' AS state, 'the text' AS definition`;

/** A data folder whose models were applied at FIRST, with one retired version. */
async function start(): Promise<string> {
  const dataDir = temporaryDataDir();
  const warehouse = await openWarehouse(dataDir);
  await warehouse.db.run(RETIRED);
  await buildModels(warehouse, { now: FIRST });
  await publish(warehouse, dataDir, { run: 'night', now: FIRST });
  await warehouse.close();
  return dataDir;
}

const recorded = async ({ db }: Warehouse) => ({
  models: await db.rows('FROM base.models ORDER BY model, version'),
  changes: await db.rows('FROM base.model_changes ORDER BY change_id'),
});

async function look<T>(dataDir: string, what: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const warehouse = await openWarehouse(dataDir);
  try {
    return await what(warehouse);
  } finally {
    await warehouse.close();
  }
}

describe('model versions in a replay', () => {
  test('keeps versions with their times, and model sets, in a replay', async () => {
    const dataDir = await start();
    const before = await look(dataDir, async (one) => ({ models: await recorded(one), sets: await readSets(one.db) }));
    await rebuildWarehouse(dataDir, { now: LATER, personalData: false });
    expect(await look(dataDir, recorded)).toEqual(before.models);
    expect(await look(dataDir, async ({ db }) => readSets(db))).toEqual(before.sets);
  });

  test('keeps the published versions in a replay without the old warehouse', async () => {
    const dataDir = await start();
    const before = await look(dataDir, recorded);
    rmSync(path.dirname(warehouseFile(dataDir)), { recursive: true });
    const { notes } = await rebuildWarehouse(dataDir, { now: LATER, personalData: false });
    expect(notes).toEqual([]);
    expect(await look(dataDir, recorded)).toEqual(before);
    // No rollback was in force, so the new warehouse has only one set: that of the replay.
    expect(await look(dataDir, async ({ db }) => readSets(db))).toMatchObject([{ set: 1, origin: 'replay' }]);
  });
});

describe('carryModels', () => {
  /** A published file with these models. */
  async function publishWith(models: string): Promise<string> {
    const dataDir = temporaryDataDir();
    mkdirSync(path.dirname(publishedFile(dataDir)), { recursive: true });
    const instance = await DuckDBInstance.create(publishedFile(dataDir));
    const connection = await instance.connect();
    await connection.run('CREATE SCHEMA meta');
    await connection.run(`CREATE TABLE meta.models AS ${models}`);
    await connection.run('CREATE TABLE meta.model_changes AS SELECT 1 AS change_id WHERE false');
    connection.closeSync();
    instance.closeSync();
    return dataDir;
  }

  const ROWS = `FROM (VALUES ('marts.thing', 2, 'current'), ('marts.thing', 1, 'retired')) AS t(model, version, state)
    SELECT *, 'table' AS kind, 'f' AS fingerprint, TIMESTAMPTZ '2026-11-01 00:00:00Z' AS applied_at, 'same text' AS definition,
      CASE state WHEN 'current' THEN 'marts.thing' END AS table_name`;
  const KEPT = `SELECT version, table_name FROM base.models WHERE model = 'marts.thing' ORDER BY version`;

  test('reads the published file of the first folder that has one', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    await carryModels(db, null, [temporaryDataDir(), await publishWith(ROWS), await publishWith('SELECT 1 AS other')]);
    expect(await db.rows(KEPT)).toEqual([
      { version: 1, table_name: null },
      { version: 2, table_name: 'marts.thing' },
    ]);
    expect(await readSets(db)).toEqual([]);
  });

  test.skipIf(!LISTS_OPEN_FILES)('closes the published file, also after an error', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    const [sound, unsound] = [await publishWith(ROWS), await publishWith('SELECT 1 AS other')];
    await carryModels(db, null, [sound]);
    expect(openFilesBelow(sound)).toEqual([]);
    await expect(carryModels(db, null, [unsound])).rejects.toThrow('models.model');
    expect(openFilesBelow(unsound)).toEqual([]);
  });

  test('creates the set of a rollback from the texts of served versions', async () => {
    const held = `${ROWS}, TIMESTAMPTZ '2026-11-05 06:07:08Z' AS held_since
      UNION ALL BY NAME SELECT 'marts.other' AS model, 1 AS version, 'current' AS state, 'table' AS kind, 'g' AS fingerprint,
        TIMESTAMPTZ '2026-11-01 00:00:00Z' AS applied_at, 'same text' AS definition, 'marts.other' AS table_name`;
    const { db } = await openTestWarehouse(temporaryDataDir());
    await carryModels(db, null, [await publishWith(held)]);
    const [set, ...others] = await readSets(db);
    expect(others).toEqual([]);
    expect(set).toMatchObject({ set: 1, origin: 'rollback', ofSet: 1, appliedAt: '2026-11-05T06:07:08Z' });
    expect([...(set?.files.keys() ?? [])].toSorted()).toEqual(['marts/other.sql', 'marts/thing.sql']);
    expect(await db.rows('SELECT text FROM ledger.model_texts')).toEqual([{ text: 'same text' }]);
  });

  test('copies nothing without a published file', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    await carryModels(db, null, [temporaryDataDir()]);
    expect(await db.count('SELECT count(*) FROM base.models')).toBe(0);
  });
});
