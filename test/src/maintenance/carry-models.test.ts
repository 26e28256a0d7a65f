import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
import { Data } from '../../../src/store/data.js';

const [FIRST, LATER] = [new Date('2026-11-20T12:00:00Z'), new Date('2026-11-21T12:00:00Z')];
const RETIRED = `INSERT INTO base.models BY NAME
  SELECT 'marts.gone' AS model, 1 AS version, 'table' AS kind, 'f' AS fingerprint, TIMESTAMPTZ '2026-01-01 00:00:00Z' AS applied_at,
    'retired' AS state, 'the text' AS definition`;

/** A data folder whose models were applied at FIRST, with one retired version. */
async function start(): Promise<string> {
  const dataDir = temporaryDataDir();
  const warehouse = await openWarehouse(new Data(dataDir));
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
  const warehouse = await openWarehouse(new Data(dataDir));
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
    await rebuildWarehouse(new Data(dataDir), { now: LATER, personalData: false });
    expect(await look(dataDir, recorded)).toEqual(before.models);
    expect(await look(dataDir, async ({ db }) => readSets(db))).toEqual(before.sets);
  });

  test('keeps the published versions in a replay without the old warehouse', async () => {
    const dataDir = await start();
    const before = await look(dataDir, recorded);
    rmSync(path.dirname(warehouseFile(dataDir)), { recursive: true });
    const { notes } = await rebuildWarehouse(new Data(dataDir), { now: LATER, personalData: false });
    expect(notes).toEqual([]);
    expect(await look(dataDir, recorded)).toEqual(before);
    // No rollback was in force, so the new warehouse has only one set: that of the replay.
    expect(await look(dataDir, async ({ db }) => readSets(db))).toMatchObject([{ set: 1, origin: 'replay' }]);
  });
});

describe('carryModels', () => {
  /** A published file with these models and sets of models. */
  async function publishWith(models: string, sets = NO_SETS): Promise<string> {
    const dataDir = temporaryDataDir();
    mkdirSync(path.dirname(publishedFile(dataDir)), { recursive: true });
    const instance = await DuckDBInstance.create(publishedFile(dataDir));
    const connection = await instance.connect();
    await connection.run(
      `CREATE SCHEMA base; CREATE TABLE base.models AS ${models}; CREATE TABLE base.model_sets AS ${sets}`,
    );
    connection.closeSync();
    instance.closeSync();
    return publishedFile(dataDir);
  }

  const NO_SETS = `SELECT 1 AS set_id, 'run' AS origin, TIMESTAMPTZ '2026-11-05 06:07:08Z' AS applied_at`;
  const ROWS = `FROM (VALUES ('marts.thing', 2, 'current'), ('marts.thing', 1, 'retired')) AS t(model, version, state)
    SELECT *, 'table' AS kind, 'f' AS fingerprint, TIMESTAMPTZ '2026-11-01 00:00:00Z' AS applied_at, 'same text' AS definition,
      CASE state WHEN 'current' THEN 'marts.thing' END AS table_name`;
  const KEPT = `SELECT version, table_name FROM base.models WHERE model = 'marts.thing' ORDER BY version`;
  const OTHER = `SELECT 'x' AS other`;

  test('reads the first published file that exists', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    const missing = publishedFile(temporaryDataDir());
    expect(await carryModels(db, [missing, await publishWith(ROWS), await publishWith(OTHER)])).toEqual([]);
    expect(await db.rows(KEPT)).toEqual([
      { version: 1, table_name: null },
      { version: 2, table_name: 'marts.thing' },
    ]);
    expect(await readSets(db)).toEqual([]);
  });

  test('names the files that cannot be read, and what is lost', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    const damaged = await publishWith(ROWS);
    writeFileSync(damaged, 'not a database\n'.repeat(1_000));
    expect(await carryModels(db, [damaged])).toEqual([
      expect.stringContaining(`are lost, because ${damaged} cannot be read`),
    ]);
    expect(await carryModels(db, [damaged, await publishWith(ROWS)])).toEqual([
      expect.stringContaining(`because ${damaged} cannot be read: \`tidemark models rollback\` cannot`),
    ]);
    expect(await db.rows(KEPT)).toHaveLength(2);
  });

  test.skipIf(!LISTS_OPEN_FILES)('closes the published file, also after an error', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    const [sound, unsound] = [await publishWith(ROWS), await publishWith(OTHER)];
    await carryModels(db, [sound]);
    expect(openFilesBelow(path.dirname(sound))).toEqual([]);
    await expect(carryModels(db, [unsound])).rejects.toThrow('models.model');
    expect(openFilesBelow(path.dirname(unsound))).toEqual([]);
  });

  test('makes the set of a rollback from the texts of served versions', async () => {
    const rows = `${ROWS}
      UNION ALL BY NAME SELECT 'marts.other' AS model, 1 AS version, 'current' AS state, 'table' AS kind, 'g' AS fingerprint,
        TIMESTAMPTZ '2026-11-01 00:00:00Z' AS applied_at, 'same text' AS definition, 'marts.other' AS table_name`;
    const sets = `FROM (VALUES (1, 'run', NULL), (2, 'run', NULL), (3, 'rollback', 1)) AS t(set_id, origin, of_set)
      SELECT *, TIMESTAMPTZ '2026-11-05 06:07:08Z' AS applied_at`;
    const { db } = await openTestWarehouse(temporaryDataDir());
    await carryModels(db, [await publishWith(rows, sets)]);
    const [set, ...others] = await readSets(db);
    expect(others).toEqual([]);
    expect(set).toMatchObject({ set: 3, origin: 'rollback', ofSet: 1, appliedAt: '2026-11-05T06:07:08Z' });
    expect([...(set?.files.keys() ?? [])].toSorted()).toEqual(['marts/other.sql', 'marts/thing.sql']);
    expect(await db.rows('SELECT text FROM ledger.model_texts')).toEqual([{ text: 'same text' }]);
    expect(await db.count('SELECT count(*) FROM base.model_sets')).toBe(1);
  });

  test('copies nothing without a published file', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    expect(await carryModels(db, [publishedFile(temporaryDataDir())])).toEqual([]);
    expect(await db.count('SELECT count(*) FROM base.models')).toBe(0);
  });
});
