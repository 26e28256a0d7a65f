import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openPublished, queryPublished } from '../../../../../src/warehouse/builds/published.js';
import { warehouseFile } from '../../../../../src/store/data-folder.js';
import { readOnly, openWarehouse } from '../../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../../src/warehouse/load/load.js';
import { applyEnv } from '../../../../../src/warehouse/publish/environments.js';
import { readHistory } from '../../../../../src/warehouse/models/history.js';
import { readLineage, readPublishedLineage } from '../../../../../src/warehouse/models/lineage.js';
import { readModels, readModelSet } from '../../../../../src/warehouse/models/models.js';
import { readPlan } from '../../../../../src/warehouse/models/read-plan.js';
import { buildModels } from '../../../../../src/warehouse/models/run-models.js';
import { applyModels, rollbackModels } from '../../../../../src/warehouse/publish/apply-models.js';
import { publish } from '../../../../../src/warehouse/publish/publish.js';
import { rebuildWarehouse } from '../../../../../src/maintenance/rebuild.js';
import { land, prepareOnce } from '../../../../helpers/warehouse.js';
import { queryFile } from '../../../../helpers/project.js';
import { mart, ownFolder, writeOwn } from './own-folder.js';
import { Data } from '../../../../../src/store/data.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const COLUMNS = 'id: BIGINT | Id\n  region: VARCHAR | Region\n  weight: DOUBLE | Weight';
const REGION_OF = 'CREATE MACRO region_of(zip) AS (SELECT max(region) FROM seed_regions WHERE code = zip[1:2]);';
const FILES = {
  'macros/regions.sql': REGION_OF,
  'seeds/regions.csv': 'code,region,weight\n01,North,1.5\n02,South,\n',
  'seeds/regions.yml': 'columns: { weight: DOUBLE }',
  'marts/places.sql': mart(
    'places',
    'SELECT company_id AS id, region_of(zip_code) AS region, weight FROM core.companies LEFT JOIN seed_regions ON code = zip_code[1:2]',
    COLUMNS,
    'audits: [{ relationships: { column: region, to: seed_regions, field: region } }]\n',
  ),
  'marts/north.sql': mart('north', "SELECT id FROM marts.places WHERE region = 'North'"),
  'marts/plain.sql': mart('plain', 'SELECT company_id AS id FROM core.companies'),
};
const PLACES = `SELECT string_agg(concat_ws(' ', id, region, weight), ', ' ORDER BY id) FROM marts.places`;

const newDataDir = prepareOnce(async (dataDir) => {
  await land(
    dataDir,
    ['01230', '02340', '99999'].map((zip, i) => ({
      stream: 'companies',
      entity: `${i + 1}`,
      body: { id: i + 1, name: `Company ${i + 1}`, zip_code: zip },
    })),
  );
  writeOwn(`${dataDir}/own`, FILES);
  const warehouse = await openWarehouse(new Data(dataDir));
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse, { modelsDir: `${dataDir}/own` });
  await publish(warehouse, dataDir, { run: 'night', now: NOW });
  await warehouse.close();
});

/** A data folder with three companies, and a built folder of models with a macro and a seed. */
function start() {
  const dataDir = newDataDir();
  const modelsDir = `${dataDir}/own`;
  return { dataDir, modelsDir, request: { now: NOW, personalData: false, modelsDir } };
}

async function plannedChanges(dataDir: string, modelsDir: string) {
  const { changes } = await readPlan(dataDir, { modelsDir, now: NOW });
  return changes.flatMap(({ model, change, because, faults }) =>
    change === 'unchanged' ? [] : [{ model, change, because, faults }],
  );
}

const indirect = (model: string, ...because: string[]) => ({
  model,
  change: 'indirectly modified',
  because,
  faults: [],
});

test('builds models with own macros and seeds, and publishes tables that need neither', async () => {
  const { dataDir, modelsDir } = start();
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 North 1.5, 2 South, 3']]);
  expect(await plannedChanges(dataDir, modelsDir)).toEqual([]);
  for (const file of [warehouseFile(dataDir), `${dataDir}/published/market.duckdb`]) {
    await readOnly(file, async (db) => {
      expect(await db.count(`SELECT count(*) FROM duckdb_functions() WHERE function_name = 'region_of'`)).toBe(0);
      expect(await db.count(`SELECT count(*) FROM duckdb_tables() WHERE table_name = 'seed_regions'`)).toBe(0);
    });
  }
});

test('rebuilds only models that use a changed macro or seed, and those that read them', async () => {
  const { dataDir, modelsDir, request } = start();
  const warehouse = await openWarehouse(new Data(dataDir));
  const changes = async () =>
    Object.fromEntries(
      (
        await warehouse.db.rows<{ table_name: string; change: string }>(
          `SELECT table_name, change FROM ledger.table_changes WHERE table_name LIKE 'marts.%' AND table_name SIMILAR TO '.*(places|north|plain|companies)'`,
        )
      ).map((row) => [row.table_name, row.change]),
    );
  const before = await changes();
  writeOwn(modelsDir, { 'seeds/regions.csv': 'code,region,weight\n01,East,1.5\n02,South,\n' });
  await buildModels(warehouse, request);
  const after = await changes();
  expect(
    Object.keys(after)
      .filter((table) => after[table] !== before[table])
      .toSorted(),
  ).toEqual(['marts.north', 'marts.places']);
  await buildModels(warehouse, request);
  expect(await changes()).toEqual(after);
  expect((await warehouse.db.rows(PLACES)).map(Object.values)).toEqual([['1 East 1.5, 2 South, 3']]);
  // A session that outlives the build must not keep a macro whose file may be deleted.
  await expect(warehouse.db.rows("SELECT region_of('01')")).rejects.toThrow('does not exist');
  await warehouse.close();
});

test('plan names changed files, and faults before apply', async () => {
  const { dataDir, modelsDir, request } = start();
  const original = FILES['macros/regions.sql'];
  writeOwn(modelsDir, { 'macros/regions.sql': `${original} CREATE MACRO unused() AS 1;` });
  expect(await plannedChanges(dataDir, modelsDir)).toEqual([]);
  writeOwn(modelsDir, { 'macros/regions.sql': original.replace('max', 'min') });
  expect(await plannedChanges(dataDir, modelsDir)).toEqual([
    indirect('marts.places', 'macros/regions.sql'),
    indirect('marts.north', 'marts.places'),
  ]);
  writeOwn(modelsDir, { 'macros/regions.sql': original, 'seeds/regions.yml': 'columns:\n  weight: decimal(9, 2)\n' });
  const [places] = await plannedChanges(dataDir, modelsDir);
  expect(places).toMatchObject({ model: 'marts.places', because: ['seeds/regions.yml'] });
  writeOwn(modelsDir, { 'seeds/regions.yml': null });
  expect((await plannedChanges(dataDir, modelsDir))[0]?.because).toEqual(['seeds/regions.yml']);
  writeOwn(modelsDir, { 'seeds/regions.yml': 'columns:\n  weight: decimal(9, 2)\n' });
  expect(places?.faults).toEqual([
    expect.stringContaining('missing weight DOUBLE; not in the header weight DECIMAL(9,2)'),
  ]);
  writeOwn(modelsDir, { 'macros/regions.sql': original.replace('seed_regions', 'core.companies') });
  await expect(readPlan(dataDir, { modelsDir })).rejects.toThrow(/regions\.sql, macro region_of: Catalog Error/);
  writeOwn(modelsDir, { 'macros/regions.sql': null, 'seeds/regions.yml': 'columns: { weight: DOUBLE }' });
  const [without] = await plannedChanges(dataDir, modelsDir);
  expect(without?.faults[0]).toMatch(/region_of does not exist/);
  writeOwn(modelsDir, { 'macros/regions.sql': original, 'seeds/regions.csv': null, 'seeds/regions.yml': null });
  await expect(readPlan(dataDir, { modelsDir })).rejects.toThrow(
    /regions\.sql, macro region_of: Catalog Error.*seed_regions/,
  );
  writeOwn(modelsDir, { 'macros/regions.sql': 'CREATE MACRO region_of(zip) AS zip;' });
  await expect(applyModels(new Data(dataDir), request)).rejects.toThrow(
    /places\.sql\): Catalog Error: Table with name seed_regions does not exist/,
  );
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 North 1.5, 2 South, 3']]);
});

test('rolls back to the macros and seeds of a set, and back to the files', async () => {
  const { dataDir, modelsDir, request } = start();
  writeOwn(modelsDir, { 'seeds/regions.csv': 'code,region\n01,East\n', 'seeds/regions.yml': null });
  writeOwn(modelsDir, {
    'macros/regions.sql': "CREATE MACRO region_of(zip) AS 'none';",
    'marts/places.sql': mart(
      'places',
      'SELECT company_id AS id, region_of(zip_code) AS region, CAST(1 AS DOUBLE) AS weight FROM core.companies',
      COLUMNS,
    ),
  });
  await applyModels(new Data(dataDir), request);
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 none 1.0, 2 none 1.0, 3 none 1.0']]);
  const history = await readHistory(dataDir);
  expect(history.at(-1)?.changed).toEqual([
    'marts/places.sql',
    'own/macros/regions.sql',
    'own/seeds/regions.csv',
    'own/seeds/regions.yml',
  ]);
  await rollbackModels(new Data(dataDir), request);
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 North 1.5, 2 South, 3']]);
  // A run builds the restored set, although the files differ.
  const warehouse = await openWarehouse(new Data(dataDir));
  await buildModels(warehouse, request);
  await publish(warehouse, dataDir, { run: 'night', now: NOW });
  await warehouse.close();
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 North 1.5, 2 South, 3']]);
  await applyModels(new Data(dataDir), request);
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 none 1.0, 2 none 1.0, 3 none 1.0']]);
});

test('builds changed macros in a dev environment, and leaves production alone', async () => {
  const { dataDir, modelsDir, request } = start();
  writeOwn(modelsDir, { 'macros/regions.sql': "CREATE MACRO region_of(zip) AS 'new';" });
  const built = await applyEnv(dataDir, { ...request, name: 'me' });
  expect(built.models.map(({ model }) => model)).toEqual(['marts.places', 'marts.north']);
  expect((await queryFile(built.file, PLACES)).map(Object.values)).toEqual([['1 new 1.5, 2 new, 3 new']]);
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 North 1.5, 2 South, 3']]);
});

test('replays with the macros and seeds of the set in use, or with those on disk', async () => {
  const { dataDir, modelsDir, request } = start();
  writeOwn(modelsDir, { 'seeds/regions.csv': 'code,region,weight\n01,East,1.5\n' });
  await applyModels(new Data(dataDir), request);
  await rollbackModels(new Data(dataDir), request);
  await rebuildWarehouse(new Data(dataDir), request);
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 North 1.5, 2 South, 3']]);
  // The published file keeps the texts of the models, but not those of macros and seeds.
  rmSync(warehouseFile(dataDir));
  await rebuildWarehouse(new Data(dataDir), request);
  expect(await queryPublished(dataDir, PLACES)).toEqual([['1 East 1.5, 2, 3']]);
});

test('finds the lineage of columns through macros and seeds, if it has their files', async () => {
  const dataDir = newDataDir();
  const published = await openPublished(dataDir);
  const known = await readPublishedLineage(published);
  published.close();
  expect(known.get('marts.plain')?.get('id')?.from).toEqual(['core.companies.company_id']);
  expect(known.get('marts.places')?.get('id')?.lineage).toBe('unknown');
  const { models } = await readModelSet(ownFolder(FILES));
  const places = models.filter(({ model }) => model === 'core.companies' || model === 'marts.places');
  const columns = (await readLineage(places)).get('marts.places');
  expect(columns?.get('id')).toEqual({ lineage: 'copied', from: ['core.companies.company_id'] });
  expect(columns?.get('region')?.lineage).not.toBe('unknown');
  expect(columns?.get('weight')).toEqual({ lineage: 'copied', from: ['main.seed_regions.weight'] });
  expect(await readModels(ownFolder(FILES))).toHaveLength((await readModels()).length + 3);
});
