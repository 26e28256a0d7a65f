import { existsSync, readdirSync, realpathSync, renameSync } from 'node:fs';
import { TidemarkError } from '../../base/errors.js';
import { removeDatabase, removeLeftovers } from '../../store/database-files.js';
import { makeFolder, syncFolder } from '../../store/files.js';
import { runAudits } from '../models/audit.js';
import { buildModelInto, putSettings } from '../models/build-model.js';
import { nameOfBuild } from '../builds/builds.js';
import { copyClosed } from '../duckdb/copy-closed.js';
import type { Database } from '../duckdb/database.js';
import { NotPublishedError } from '../duckdb/errors.js';
import { withMemory } from '../duckdb/in-memory.js';
import { syncFile } from '../../store/links.js';
import { MODEL_SCHEMAS, readModels, type Model } from '../models/models.js';
import { withOwn } from '../models/own/use-own.js';
import { modelsInForce } from '../models/in-force.js';
import { planModels, type ChangeKind, type ModelChange } from '../models/plan.js';
import { readApplied } from '../models/read-plan.js';
import { lockFile } from '../duckdb/locks.js';
import { openReadOnly } from '../duckdb/open.js';
import type { Published } from '../builds/published.js';
import { envDir, envFile, publishedFile, warehouseFile } from '../../store/data-folder.js';
import { prepareSession } from '../duckdb/session.js';
import { useShared } from '../duckdb/shared.js';
import { quote } from '../duckdb/sql-files.js';
import { withParser } from '../duckdb/sql-parser.js';
import { readingFirstFrom, SCHEMAS, searchPath, type SchemaRow } from '../models/stage-models.js';
import { utcDay } from '../../base/time/time.js';

/** Input of `applyEnv`. */
export interface EnvRequest {
  name: string;
  now: Date;
  personalData: boolean;
  modelsDir?: string | undefined;
  /** Called when the build of a model begins. */
  onModel?: (model: string) => void;
}

/** An environment that `applyEnv` built. */
export interface EnvBuilt {
  /** DuckDB file that holds the built tables. */
  file: string;
  /** Name of the published build on which the environment is based. */
  build: string;
  models: { model: string; change: ChangeKind; rows: number; failedAudits: string[] }[];
  /** Breaking changes that production would refuse. A dev environment accepts them. */
  refused: ModelChange[];
}

/** An environment that exists in the data folder. */
export interface Env {
  name: string;
  file: string;
  builtAt: string;
  build: string;
  /**
   * True when production was published again after this environment was built. A comparison then shows changed data as
   * well as changed models.
   */
  isStale: boolean;
  models: string[];
}

/**
 * Builds the changed models and the models that read them into a separate file, from the data of production. Reads
 * unchanged models from the published build. Does not block the writer or readers. Replaces an environment of the same
 * name.
 * @throws NotPublishedError when nothing is published
 * @throws WarehouseBusyError when a changed model reads the writer's tables while a worker has them open
 * @throws ModelFailedError when a model cannot be built; the environment stays as it was
 */
export async function applyEnv(dataDir: string, request: EnvRequest): Promise<EnvBuilt> {
  const { name, now, personalData, modelsDir, onModel = () => undefined } = request;
  const file = envFile(dataDir, checkName(name));
  const published = resolvePublished(dataDir);
  const day = utcDay(now);
  const { models } = modelsInForce(await readModels(modelsDir), day);
  const changes = await planAgainst(published, models, day);
  const toBuild = models.filter(({ model }) => changes.some((change) => change.model === model && isBuilt(change)));
  await makeFolder(envDir(dataDir));
  const beside = `${file}.new`;
  const clone = `${file}.warehouse`;
  const clean = (): void => {
    for (const each of [beside, clone]) removeDatabase(each);
  };
  clean();
  try {
    const production = (await readsLedger(toBuild)) ? await cloneWarehouse(dataDir, clone) : published;
    const built = await withMemory(beside, async (db) => {
      await prepareSession(db);
      await useShared(db);
      await putSettings(db, { personalData });
      await db.run(`ATTACH ${quote(production)} AS production (READ_ONLY)`);
      await db.run(`ATTACH ${quote(beside)} AS env`);
      for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA env.${schema}`);
      await db.run(
        'CREATE TABLE env.main.environment (model VARCHAR, change VARCHAR, definition VARCHAR, built_at TIMESTAMPTZ, build VARCHAR)',
      );
      const done: EnvBuilt['models'] = [];
      const build = () =>
        readingFirstFrom(db, 'env', 'production', async () => {
          for (const model of toBuild) {
            onModel(model.model);
            const change = changes.find((one) => one.model === model.model)?.change ?? 'added';
            done.push({ model: model.model, change, ...(await buildInEnv(db, model)) });
            await db.run(
              'INSERT INTO env.main.environment VALUES ($model, $change, $text, CAST($at AS TIMESTAMPTZ), $build)',
              {
                model: model.model,
                change,
                text: model.text,
                at: now.toISOString(),
                build: nameOfBuild(published),
              },
            );
          }
        });
      await withOwn(db, toBuild, build);
      await db.run('DETACH env');
      return done;
    });
    // A killed client may have left the write-ahead log of the old file. Remove this log, because DuckDB would apply it
    // to the new file.
    removeLeftovers(file);
    await syncFile(beside);
    renameSync(beside, file);
    await syncFolder(envDir(dataDir));
    const refused = changes.filter((change) => change.refused.length > 0);
    return { file, build: nameOfBuild(published), models: built, refused };
  } finally {
    clean();
  }
}

/** Lists all environments by name. */
export async function listEnvs(dataDir: string): Promise<Env[]> {
  const folder = envDir(dataDir);
  const names = existsSync(folder)
    ? readdirSync(folder).flatMap((entry) => /^(.+)\.duckdb$/.exec(entry)?.[1] ?? [])
    : [];
  const envs: Env[] = [];
  for (const name of names.toSorted()) envs.push(await readEnv(dataDir, name));
  return envs;
}

/**
 * Reads the metadata of an environment.
 * @throws TidemarkError `InvalidInput` when no environment has that name
 */
export async function readEnv(dataDir: string, name: string): Promise<Env> {
  const file = envFile(dataDir, checkName(name));
  if (!existsSync(file)) throw noSuchEnv(dataDir, name);
  const link = publishedFile(dataDir);
  const current = existsSync(link) ? nameOfBuild(realpathSync(link)) : null;
  const { db, close } = await openReadOnly(file);
  try {
    const rows = await db.rows<{ model: string; at: string; build: string }>(
      `SELECT model, strftime(built_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS at, build FROM environment ORDER BY model`,
    );
    const { at = '', build = '' } = rows[0] ?? {};
    return {
      name,
      file,
      builtAt: at,
      build,
      isStale: rows.length > 0 && build !== current,
      models: rows.map((row) => row.model),
    };
  } finally {
    close();
  }
}

/**
 * Removes an environment.
 * @throws TidemarkError `InvalidInput` when no environment has that name
 */
export function dropEnv(dataDir: string, name: string): void {
  const file = envFile(dataDir, checkName(name));
  if (!existsSync(file)) throw noSuchEnv(dataDir, name);
  removeDatabase(file);
}

/**
 * Changes how queries find a table: first in the environment, then in the published warehouse.
 * @throws TidemarkError `InvalidInput` when no environment has that name
 */
export async function overlayEnv(published: Published, dataDir: string, name: string): Promise<void> {
  const { file } = await readEnv(dataDir, name);
  const [base] = await published.objects<{ name: string }>('SELECT current_database() AS name');
  await published.run(`ATTACH ${quote(file)} AS env (READ_ONLY)`);
  const schemas = await published.objects<SchemaRow>(SCHEMAS);
  await published.run(`SET search_path = ${quote(searchPath(schemas, 'env', base?.name ?? ''))}`);
}

/**
 * Returns the path of the current published build, with links resolved.
 * @throws NotPublishedError
 */
export function resolvePublished(dataDir: string): string {
  const link = publishedFile(dataDir);
  if (!existsSync(link)) throw new NotPublishedError(link);
  return realpathSync(link);
}

async function buildInEnv(db: Database, model: Model): Promise<{ rows: number; failedAudits: string[] }> {
  await buildModelInto(db, model, 'env');
  const checks = await runAudits(db, model);
  return {
    rows: await db.count(`SELECT count(*) FROM env.${model.model}`),
    failedAudits: checks.flatMap(({ check, failingRows }) => (failingRows > 0 ? [`${check} (${failingRows})`] : [])),
  };
}

async function planAgainst(published: string, models: Model[], day: string): Promise<ModelChange[]> {
  const { db, close } = await openReadOnly(published);
  try {
    return planModels(models, await readApplied(db, 'meta.models'), { day });
  } finally {
    close();
  }
}

/** Returns whether to build a model: its file was edited, or its rows may change. */
function isBuilt({ change, rebuild }: ModelChange): boolean {
  return change !== 'removed' && (rebuild || change === 'directly modified');
}

/** Returns whether a model reads tables that exist only in the writer's file. */
async function readsLedger(models: readonly Model[]): Promise<boolean> {
  return withParser(async (parser) => {
    for (const { sql, incremental } of models)
      for (const text of [sql, incremental?.all]) {
        const tables = text === undefined ? [] : ((await parser.parse(text)).tables ?? []);
        if (tables.some((table) => table.startsWith('ledger.'))) return true;
      }
    return false;
  });
}

/**
 * Copies the writer's file. Holds the lock of the file during the copy, so a worker that wants to write fails and tries
 * again. On file systems that can share blocks between files, the copy is immediate.
 */
async function cloneWarehouse(dataDir: string, clone: string): Promise<string> {
  const file = warehouseFile(dataDir);
  if (!existsSync(file))
    throw new TidemarkError('Internal', `${file} does not exist.`, {
      todo: 'Run `tidemark replay`: it makes the warehouse from the landing zone.',
    });
  const lock = await lockFile(dataDir, 'tidemark models apply --env');
  try {
    await copyClosed(file, clone);
    // A killed writer left a log of changes that are not in the file yet.
    if (existsSync(`${file}.wal`)) await copyClosed(`${file}.wal`, `${clone}.wal`);
    return clone;
  } finally {
    lock.release();
  }
}

function checkName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,30}$/.test(name)) return name;
  throw new TidemarkError('InvalidInput', `${JSON.stringify(name)} is not a valid environment name.`, {
    todo: 'Use up to 31 lower-case letters, digits and _, beginning with a letter.',
  });
}

function noSuchEnv(dataDir: string, name: string): TidemarkError {
  return new TidemarkError('InvalidInput', `There is no environment ${name} in ${envDir(dataDir)}.`, {
    todo: `\`tidemark models apply --env ${name}\` creates it; \`tidemark models env list\` lists all environments.`,
  });
}
