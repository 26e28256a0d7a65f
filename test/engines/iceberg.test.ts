import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listBuilds } from '../../src/warehouse/builds/builds.js';
import { showBuild } from '../../src/warehouse/builds/switch.js';
import { buildDir, fileOf } from '../../src/store/data-folder.js';
import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';
import { copyCurrentBuild } from '../../src/warehouse/builds/copy-build.js';
import { buildsIn, CURRENT } from '../../src/warehouse/builds/manifest.js';
import { encode, type Pointer } from '../../src/store/versions.js';
import { openStorage } from '../../src/store/open.js';
import { ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { prepareOnce } from '../helpers/warehouse.js';
import { publishWorld } from '../helpers/world-warehouse.js';
import { startPython, type PythonProgram } from './ask-python.js';
import { hasPostgres, startPostgres, type Postgres } from './postgres.js';
import { sha256 } from '../../src/base/hash.js';

/*
 * Runs examples/iceberg/register.py with PyIceberg's SQL catalog. Compares all rows of the tables with DuckDB, before, while
 * and after newer versions are published and registered.
 */

const run = promisify(execFile);
const example = (name: string): string => path.join(ROOT, 'examples', 'iceberg', name);
// Tables with lists, structs, JSON and lists of JSON, in one file or several, with changes and without.
const TABLES = [
  'core.companies',
  'core.companies_history',
  'core.owners',
  'core.tenders_history',
  'marts.companies',
  'marts.market_members',
];
const KEEP_SECONDS = 86_400;

let gateway: Gateway;
let root: string;
let python: string;
let postgres: Postgres | undefined;
beforeAll(async () => {
  gateway = await startGateway();
  Object.assign(process.env, gateway.env);
  root = mkdtempSync(path.join(tmpdir(), 'tidemark-iceberg-'));
  const requirements = readFileSync(example('requirements.txt'), 'utf8').trim().split('\n');
  python = await installPython('iceberg', [...requirements, 'duckdb==1.5.6', 'pytz==2026.6']);
  if (hasPostgres()) postgres = await startPostgres();
}, 900_000);
afterAll(async () => {
  postgres?.stop();
  await gateway?.remove();
  rmSync(root, { recursive: true, force: true });
});

const prepared = prepareOnce((dataDir) => publishWorld(dataDir, { eachNight: true }));

/** Variables that configure a catalog with its name. */
function catalogAt(name: string, uri: string): NodeJS.ProcessEnv {
  const warehouse = `s3://${gateway.bucket}/iceberg/${name}`;
  const settings = { URI: uri, WAREHOUSE: warehouse, S3__ENDPOINT: gateway.env.AWS_ENDPOINT_URL };
  const variables = Object.entries(settings).map(([key, value]) => [
    `PYICEBERG_CATALOG__${name.toUpperCase()}__${key}`,
    value,
  ]);
  return { ...process.env, ...(Object.fromEntries(variables) as NodeJS.ProcessEnv), HOME: root };
}

async function register(
  env: NodeJS.ProcessEnv,
  catalog: string,
  place: string,
  tables: readonly string[],
): Promise<string> {
  const { stdout } = await run(python, [example('register.py'), place, ...tables, '--catalog', catalog], { env });
  return stdout;
}

const startReader = async (env: NodeJS.ProcessEnv): Promise<PythonProgram> =>
  startPython(python, [path.join(ROOT, 'test', 'engines', 'iceberg.py')], env);

async function copy(place: string, dataDir: string, build: string, keepSeconds = KEEP_SECONDS): Promise<void> {
  await showBuild(dataDir, build);
  await copyCurrentBuild(openStorage(place), dataDir, { keepSeconds, what: 'a test' });
}

describe.each([
  ['sqlite', () => `sqlite:///${root}/catalog.db`],
  ['postgres', () => `postgresql+psycopg2://test@127.0.0.1:${postgres?.port}/postgres`],
])('an Iceberg catalog in %s', (name, uriOf) => {
  it.skipIf(name === 'postgres' && !hasPostgres())(
    'has the rows of each version',
    async () => {
      const dataDir = prepared();
      const place = `s3://${gateway.bucket}/copies/${name}`;
      const env = catalogAt(name, uriOf());
      const [third = '', second = '', first = ''] = listBuilds(dataDir).map((build) => build.name);
      const same = (build: string) => ({ database: fileOf(buildDir(dataDir, build)), tables: TABLES });
      const none = { result: [] };

      await copy(place, dataDir, first);
      expect(await register(env, name, place, TABLES)).toContain(`${TABLES.length} tables have the version v=${first}`);
      const reader = await startReader(env);
      expect(await reader.ask({ do: 'compare', catalog: name, ...same(first) })).toEqual(none);
      expect(
        ((await reader.ask({ do: 'compare', catalog: name, ...same(third) })).result as unknown[]).length,
      ).toBeGreaterThan(3);
      const once = await reader.ask({ do: 'snapshots', catalog: name });
      await register(env, name, place, TABLES);
      expect(await reader.ask({ do: 'snapshots', catalog: name })).toEqual(once);

      // A reader that opened the tables keeps its version.
      await reader.ask({ do: 'hold', catalog: name });
      await copy(place, dataDir, second);
      await register(env, name, place, TABLES);
      expect(await reader.ask({ do: 'compare', catalog: name, ...same(second) })).toEqual(none);
      expect(await reader.ask({ do: 'compare_held', ...same(first) })).toEqual(none);

      // Another program changed rows; the next registration replaces its files.
      expect(await reader.ask({ do: 'foreign', catalog: name, name: 'core.companies' })).toEqual({ result: null });
      expect((await reader.ask({ do: 'compare', catalog: name, ...same(second) })).result).toHaveLength(1);

      // Several processes register while the version changes. The last ones see the last version.
      const early = [register(env, name, place, TABLES), register(env, name, place, TABLES)];
      await copy(place, dataDir, third);
      await Promise.all([...early, register(env, name, place, TABLES), register(env, name, place, TABLES)]);
      expect(await reader.ask({ do: 'compare', catalog: name, ...same(third) })).toEqual(none);

      // Removed versions have no snapshots, so no snapshot names a removed file.
      await copy(place, dataDir, third, 0);
      await register(env, name, place, TABLES);
      const left = (await reader.ask({ do: 'snapshots', catalog: name })).result as {
        versions: Record<string, string[]>;
        files: string[];
      };
      expect(
        Object.values(left.versions)
          .flat()
          .filter((version) => !version.startsWith(`v=${third}.`)),
      ).toEqual([]);
      const keys: string[] = [];
      for await (const { key } of openStorage(place).list('v=')) keys.push(`${place}/${key}`);
      expect(left.files.filter((file) => !keys.includes(file))).toEqual([]);
      expect(await reader.ask({ do: 'compare', catalog: name, ...same(third) })).toEqual(none);

      // PyIceberg's purge ignores gc.enabled. The page warns of it.
      expect(await reader.ask({ do: 'purge', catalog: name, name: 'core.owners' })).toEqual({ result: null });
      const after: string[] = [];
      for await (const { key } of openStorage(place).list('v=')) after.push(`${place}/${key}`);
      expect(keys.length - after.length).toBe(1);
    },
    1_200_000,
  );
});

it('follows columns that come, grow and leave, and refuses other changes', async () => {
  const place = `s3://${gateway.bucket}/columns`;
  const env = catalogAt('columns', `sqlite:///${root}/columns.db`);
  const reader = await startReader(env);
  const rows = async (): Promise<unknown> =>
    (await reader.ask({ do: 'rows', catalog: 'columns', name: 'core.t' })).result;
  const publishAndRegister = async (sql: string): Promise<unknown> => {
    await publishTable(place, sql);
    await register(env, 'columns', place, ['core.t']);
    return rows();
  };
  expect(await publishAndRegister("SELECT 1::INTEGER AS id, 'x' AS a")).toEqual([{ id: 1, a: 'x' }]);
  const grown = await publishAndRegister("SELECT 3000000000::BIGINT AS id, 0.5::DOUBLE AS b, 'y' AS a");
  expect(grown).toEqual([{ id: 3_000_000_000, a: 'y', b: 0.5 }]);
  const less = [{ id: 3, a: null, b: null }];
  expect(await publishAndRegister('SELECT 3::BIGINT AS id, NULL::DOUBLE AS b')).toEqual(less);
  await expect(publishAndRegister('SELECT 4::BIGINT AS id, 7::INTEGER AS a')).rejects.toThrow(
    /core\.t.*drop the table/is,
  );
  expect(await rows()).toEqual(less);
}, 600_000);

let versions = 0;

/** Makes a version current that has one table. */
async function publishTable(place: string, sql: string): Promise<void> {
  const storage = openStorage(place);
  const build = String(++versions);
  const version = `v=${build}`;
  const file = path.join(root, `${versions}.parquet`);
  await withMemory('a test', async (db) => db.run(`COPY (${sql}) TO ${quote(file)} (FORMAT parquet)`));
  const key = `${version}/core/t/data.parquet`;
  const table = { rows: 1, columns: [], files: [{ key, rows: 1, ...(await storage.upload(key, file)) }] };
  const database = { key: 'none', bytes: 0, sha256: '' };
  const body = encode({ format: 1, build, database, tables: { 'core.t': table } });
  const manifest = { key: `${version}/manifest.json`, bytes: body.length, sha256: sha256(body) };
  await storage.create(manifest.key, body);
  const about = { format: 1 as const, token: 1, publication: 1, published_at: '', earlier: [] };
  const before = await buildsIn(storage).find();
  const next: Pointer = { ...about, build, version, manifest };
  if (before === undefined) await storage.create(CURRENT, encode(next));
  else await storage.replace(CURRENT, encode(next), before.version);
}
