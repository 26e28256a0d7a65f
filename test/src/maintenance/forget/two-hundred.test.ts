import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { envDir, publishedDir, publishedFile, warehouseFile } from '../../../../src/store/data-folder.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { readOnly, openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publishAndReopen } from '../../../helpers/warehouse.js';
import { findTexts } from '../../../helpers/find-texts.js';
import { cleanEnv, startProcess } from '../../../helpers/processes.js';
import { runCli } from '../../../helpers/run-cli.js';
import { allTextsOf, COMPANIES, idsOf, landMany, OLD_FILES, plantMany, STAY } from './plant-many.js';
import { Data } from '../../../../src/store/data.js';

const GONE = COMPANIES.flatMap(idsOf);
const STEPS = [/^Reading the landed/, /^Writing landed parts/, /^Rebuilding/, /^Searching/];

const root = mkdtempSync(path.join(tmpdir(), 'tidemark-many-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  const dataDir = path.join(root, 'planted');
  const now = new Date();
  await landMany(dataDir, now.toISOString().slice(0, 10));
  let warehouse = await openWarehouse(new Data(dataDir));
  try {
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse, { now, personalData: true });
    for (const run of ['one', 'two']) warehouse = await publishAndReopen(warehouse, dataDir, { run, now });
  } finally {
    await warehouse.close();
  }
  plantMany(dataDir, GONE);
});

it('serves no byte of 200 people after personalData became none', async () => {
  const dataDir = path.join(root, 'none');
  cpSync(path.join(root, 'planted'), dataDir, { recursive: true, verbatimSymlinks: true });
  const texts = GONE.flatMap(allTextsOf);
  const served = [publishedDir(dataDir), envDir(dataDir)];
  const find = async (): Promise<string[]> =>
    (await Promise.all(served.filter((dir) => existsSync(dir)).map((dir) => findTexts(dir, texts)))).flat();
  expect((await find()).length).toBeGreaterThan(100);
  let warehouse = await openWarehouse(new Data(dataDir));
  for (const run of ['three', 'four']) {
    const now = new Date();
    await buildModels(warehouse, { now, personalData: false });
    warehouse = await publishAndReopen(warehouse, dataDir, { run, now });
    // The bytes of a compressed block cannot be searched, but such a file has no block without a table.
    if (run === 'three') expect(await freeBlocks(warehouseFile(dataDir), warehouse)).toBe(0);
    expect(await freeBlocks(realpathSync(publishedFile(dataDir)))).toBe(0);
    expect(await find()).toEqual([]);
  }
  await warehouse.close();
});

/** Number of free blocks of a file, which `open` may have open. */
function freeBlocks(file: string, open?: Warehouse): Promise<number> {
  const read = (db: Database): Promise<number> =>
    db.count('SELECT free_blocks FROM pragma_database_size() WHERE database_name = current_database()');
  return open === undefined ? readOnly(file, read) : read(open.db);
}

it.each([
  ['person', ['--person', ...GONE], '', true],
  ['company', ['--company', ...COMPANIES.map(String)], '', true],
  ['age', ['--expired'], 'retention: 30d', true],
  ['personalData: none', ['--all'], 'personalData: none', false],
])(
  'leaves no byte of 200 people forgotten by %s, with kill -9 in each step',
  async (way, args, settings, stay) => {
    const folder = path.join(root, way.replaceAll(/\W/g, '-'));
    const dataDir = path.join(folder, 'data');
    cpSync(path.join(root, 'planted'), dataDir, { recursive: true, verbatimSymlinks: true });
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of OLD_FILES) utimesSync(path.join(dataDir, name), longAgo, longAgo);
    const config = path.join(folder, 'tidemark.yaml');
    const personalData = settings.startsWith('personalData') ? settings : `personalData: contacts\n${settings}`;
    writeFileSync(config, `api: { baseUrl: 'http://127.0.0.1:9' }\ndata: ${dataDir}\n${personalData}\n`);
    expect((await findTexts(dataDir, GONE.flatMap(allTextsOf))).length).toBeGreaterThan(1_000);

    const env = { TIDEMARK_CONFIG: config };
    for (const ready of STEPS) {
      const killed = await startProcess(['bin/tidemark.mjs', 'forget', ...args], { env: cleanEnv(env), ready });
      await killed.stop('SIGKILL');
    }
    const { code, stdout, stderr } = await runCli(['forget', ...args, '--json'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({ proof: { proven: true, others: [], remaining: [], unread: [] } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await findTexts(dataDir, GONE.flatMap(allTextsOf))).toEqual([]);
    const stays = STAY.flatMap(idsOf).flatMap(allTextsOf);
    const found = new Set((await findTexts(dataDir, stays)).map((hit) => hit.slice(hit.indexOf(': ') + 2)));
    expect([...found].toSorted()).toEqual(stay ? stays.toSorted() : []);
  },
  1_800_000,
);
