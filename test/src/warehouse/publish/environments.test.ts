import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPublished, queryPublished } from '../../../../src/warehouse/builds/published.js';
import { publishedFile, warehouseFile } from '../../../../src/store/data-folder.js';
import { NotPublishedError } from '../../../../src/warehouse/duckdb/errors.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import {
  applyEnv,
  dropEnv,
  listEnvs,
  readEnv,
  type EnvRequest,
} from '../../../../src/warehouse/publish/environments.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { land, temporaryDataDir } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const IDS = 'SELECT company_id AS id FROM core.companies';

let template: string;

beforeAll(async () => {
  template = mkdtempSync(path.join(tmpdir(), 'tidemark-env-'));
  await land(
    template,
    ['1', '2', '3'].map((id) => ({ stream: 'companies', entity: id, body: { id, name: `Company ${id}` } })),
  );
  const own = path.join(template, 'own');
  writeModels(own, { thing: IDS, other: IDS });
  const warehouse = await openWarehouse(new Data(template));
  await loadLanding(warehouse, new Data(template));
  await buildModels(warehouse, { modelsDir: own });
  await publish(warehouse, template, { run: 'night', now: NOW });
  await warehouse.close();
});

afterAll(() => rmSync(template, { recursive: true, force: true }));

function writeModels(folder: string, models: Record<string, string>, header = 'kind: table'): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, 'marts'), { recursive: true });
  for (const [name, sql] of Object.entries(models)) {
    const text = `/*\nmodel: marts.${name}\n${header}\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n*/\n${sql}\n`;
    writeFileSync(path.join(folder, 'marts', `${name}.sql`), text);
  }
}

/** A data folder with three companies and the models `thing` and `other`, built and published. */
function start() {
  const dataDir = temporaryDataDir();
  cpSync(template, dataDir, { recursive: true, verbatimSymlinks: true });
  const modelsDir = path.join(dataDir, 'own');
  const request: EnvRequest = { name: 'me', now: NOW, personalData: false, modelsDir };
  return {
    dataDir,
    request,
    edit: (models: Record<string, string>, header?: string) => writeModels(modelsDir, models, header),
  };
}

async function publishAgain(dataDir: string): Promise<void> {
  const warehouse = await openWarehouse(new Data(dataDir));
  await publish(warehouse, dataDir, { run: 'night', now: NOW });
  await warehouse.close();
}

test('reads changed tables from the environment and all others from production', async () => {
  const { dataDir, request, edit } = start();
  edit({ thing: `${IDS} WHERE company_id > 1`, other: IDS, added: 'SELECT id FROM marts.thing WHERE id > 2' });
  const { file, build } = await applyEnv(dataDir, request);
  expect(await readEnv(dataDir, 'me')).toEqual({
    name: 'me',
    file,
    builtAt: '2026-11-20T12:00:00Z',
    build,
    isStale: false,
    models: ['marts.added', 'marts.thing'],
  });
  const environment = await openPublished(dataDir, file);
  const ids = async (table: string) =>
    (await environment.objects(`FROM ${table} ORDER BY id`)).map(Object.values).flat();
  try {
    expect(await ids('marts.thing')).toEqual([2, 3]);
    expect(await ids('marts.added')).toEqual([3]);
    expect(await ids('marts.other')).toEqual([1, 2, 3]);
    await expect(environment.run('DELETE FROM marts.thing')).rejects.toThrow('read-only');
  } finally {
    environment.close();
  }
  expect(await queryPublished(dataDir, 'FROM marts.thing ORDER BY id')).toEqual([[1], [2], [3]]);
  await publishAgain(dataDir);
  expect(await readEnv(dataDir, 'me')).toMatchObject({ build, isStale: true });
  rmSync(publishedFile(dataDir));
  expect(await readEnv(dataDir, 'me')).toMatchObject({ build, isStale: true });
});

test('never calls an environment without models stale', async () => {
  const { dataDir, request } = start();
  expect(await applyEnv(dataDir, request)).toMatchObject({ models: [], refused: [] });
  const empty = { builtAt: '', build: '', isStale: false, models: [] };
  expect(await readEnv(dataDir, 'me')).toMatchObject(empty);
  await publishAgain(dataDir);
  expect(await readEnv(dataDir, 'me')).toMatchObject(empty);
});

test('needs the file of the writer only for models that read the ledger', async () => {
  const { dataDir, request, edit } = start();
  const ledger = 'SELECT DISTINCT company_id AS id FROM ledger.company_records';
  const none = `SELECT NULL::BIGINT AS id WHERE false`;
  const build = async (sql: string, header?: string) => {
    edit({ thing: IDS, other: IDS, added: sql }, header);
    return (await applyEnv(dataDir, request)).models.filter(({ model }) => model === 'marts.added');
  };
  const incremental = `kind: incremental\nincremental:\n  by: [id]\n  changed: ${none}\n  all: ${ledger} WHERE company_id < 3`;
  expect(await build(ledger)).toMatchObject([{ change: 'added', rows: 3 }]);
  expect(await build('SELECT id FROM changed', incremental)).toMatchObject([{ rows: 2 }]);
  rmSync(warehouseFile(dataDir));
  expect(await build(IDS)).toMatchObject([{ rows: 3 }]);
  await expect(build(ledger)).rejects.toThrow('does not exist');
});

test('keeps the environment when a model fails, and removes its own files', async () => {
  const { dataDir, request, edit } = start();
  edit({ thing: `${IDS} WHERE company_id > 1`, other: IDS });
  await applyEnv(dataDir, request);
  const before = await readEnv(dataDir, 'me');
  edit({ thing: `SELECT CAST(name AS BIGINT) AS id FROM core.companies`, other: IDS });
  const built: string[] = [];
  await expect(applyEnv(dataDir, { ...request, onModel: (model) => built.push(model) })).rejects.toMatchObject({
    type: 'ModelFailed',
    message: expect.stringContaining('Model marts.thing'),
  });
  expect(built).toEqual(['marts.thing']);
  expect(await readEnv(dataDir, 'me')).toEqual(before);
  expect(readdirSync(path.dirname(before.file))).toEqual(['me.duckdb']);
});

test('reports failed audits and changes that production would refuse', async () => {
  const { dataDir, request, edit } = start();
  const audits =
    '[{name: big, severity: error, sql: FROM marts.thing WHERE id > 1}, {name: no, severity: warn, sql: FROM marts.thing WHERE id > 9}]';
  edit({ thing: IDS }, `kind: table\naudits: ${audits}`);
  expect(await applyEnv(dataDir, request)).toMatchObject({
    models: [{ model: 'marts.thing', change: 'directly modified', rows: 3, failedAudits: ['big (2)'] }],
    refused: [{ model: 'marts.other', change: 'removed' }],
  });
});

test('lists environments by name and drops one', async () => {
  const { dataDir, request } = start();
  expect(await listEnvs(dataDir)).toEqual([]);
  for (const name of ['b', 'a', `a${'1'.repeat(30)}`]) await applyEnv(dataDir, { ...request, name });
  const folder = path.join(dataDir, 'env');
  for (const stray of ['notes.txt', 'c.duckdb.wal', 'b.duckdb.wal']) writeFileSync(path.join(folder, stray), '');
  expect((await listEnvs(dataDir)).map(({ name }) => name)).toEqual(['a', `a${'1'.repeat(30)}`, 'b']);
  dropEnv(dataDir, 'b');
  expect(readdirSync(folder).filter((name) => name.startsWith('b'))).toEqual([]);
  expect(() => dropEnv(dataDir, 'b')).toThrow('There is no environment b');
  await expect(readEnv(dataDir, 'b')).rejects.toMatchObject({
    type: 'InvalidInput',
    message: `There is no environment b in ${folder}.`,
    todo: '`tidemark models apply --env b` creates it; `tidemark models env list` lists all environments.',
  });
});

test.each(['', 'A', '1a', '_a', 'a-b', 'a\n', `a${'1'.repeat(31)}`])('rejects the name %j', async (name) => {
  const dataDir = temporaryDataDir();
  await expect(applyEnv(dataDir, { name, now: NOW, personalData: false })).rejects.toMatchObject({
    type: 'InvalidInput',
    message: `${JSON.stringify(name)} is not a valid environment name.`,
    todo: 'Use up to 31 lower-case letters, digits and _, beginning with a letter.',
  });
  expect(() => dropEnv(dataDir, name)).toThrow('is not a valid environment name');
});

test('needs a published build', async () => {
  const dataDir = temporaryDataDir();
  const request = { name: 'me', now: NOW, personalData: false };
  await expect(applyEnv(dataDir, request)).rejects.toThrow(NotPublishedError);
  await expect(applyEnv(dataDir, request)).rejects.toThrow(publishedFile(dataDir));
});
