import { constants, copyFileSync, existsSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { TidemarkError } from '../core/errors.js';
import { makeFolder, syncFolder } from '../core/files.js';
import { runAudits } from './audit.js';
import { buildModelInto, putSettings } from './build-model.js';
import { nameOfBuild } from './builds.js';
import type { Database } from './database.js';
import { NotPublishedError } from './errors.js';
import { withMemory } from './in-memory.js';
import { syncFile } from './links.js';
import { MODEL_SCHEMAS, readModels, type Model } from './models.js';
import { dayOf, modelsInForce } from './models-in-force.js';
import { planModels, type ChangeKind, type ModelChange } from './models-plan.js';
import { readApplied } from './models-plan-read.js';
import { openReadOnly } from './open.js';
import type { Published } from './published.js';
import { envDir, envFile, publishedFile, warehouseFile } from './paths.js';
import { prepareSession } from './session.js';
import { quote } from './sql-files.js';
import { withParser } from './sql-parser.js';
import { readingFirstFrom, SCHEMAS, searchPath, type SchemaRow } from './stage-models.js';

export interface EnvRequest {
  name: string;
  now: Date;
  personalData: boolean;
  modelsDir?: string | undefined;
  /** Told of each model as it is begun. */
  onModel?: (model: string) => void;
}

export interface EnvBuilt {
  /** DuckDB file with the tables that were built. */
  file: string;
  /** The published build it was made beside. */
  build: string;
  models: { model: string; change: ChangeKind; rows: number; failedAudits: string[] }[];
  /** Changes that production would refuse; a dev environment takes them. */
  refused: ModelChange[];
}

/** An environment that exists. */
export interface Env {
  name: string;
  file: string;
  builtAt: string;
  build: string;
  /** Production was published anew since: a comparison would mix changed models with changed data. */
  isStale: boolean;
  models: string[];
}

/**
 * Builds what changed, and what reads it, into a file of its own beside production, from the same data: everything that did
 * not change is read from the published build. Neither the writer nor readers notice; the file replaces the one of that name.
 * @throws NotPublishedError when nothing is published
 * @throws WarehouseBusyError when a changed model reads the writer's tables while a worker holds them
 * @throws ModelFailedError when a model cannot be built; the environment stays as it was
 */
export async function applyEnv(dataDir: string, request: EnvRequest): Promise<EnvBuilt> {
  const { name, now, personalData, modelsDir, onModel = () => undefined } = request;
  const file = envFile(dataDir, checkName(name));
  const published = resolvePublished(dataDir);
  const day = dayOf(now);
  const { models } = modelsInForce(await readModels(modelsDir), day);
  const changes = await planAgainst(published, models, day);
  const toBuild = models.filter(({ model }) => changes.some((change) => change.model === model && isBuilt(change)));
  await makeFolder(envDir(dataDir));
  const beside = `${file}.new`;
  const clone = `${file}.base`;
  const clean = (): void => {
    for (const each of [beside, clone])
      for (const end of ['', '.wal', '.tmp']) rmSync(each + end, { recursive: true, force: true });
  };
  clean();
  try {
    const base = (await readsLedger(toBuild)) ? await cloneWarehouse(dataDir, clone) : published;
    const built = await withMemory(beside, async (db) => {
      await prepareSession(db);
      await putSettings(db, { personalData });
      await db.run(`ATTACH ${quote(base)} AS base (READ_ONLY)`);
      await db.run(`ATTACH ${quote(beside)} AS env`);
      for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA env.${schema}`);
      await db.run(
        'CREATE TABLE env.main.environment (model VARCHAR, change VARCHAR, definition VARCHAR, built_at TIMESTAMPTZ, build VARCHAR)',
      );
      const done: EnvBuilt['models'] = [];
      await readingFirstFrom(db, 'env', 'base', async () => {
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
      await db.run('DETACH env');
      return done;
    });
    // What a killed client was writing into the old one would be played into the new one.
    rmSync(`${file}.wal`, { force: true });
    await syncFile(beside);
    renameSync(beside, file);
    await syncFolder(envDir(dataDir));
    const refused = changes.filter((change) => change.refused.length > 0);
    return { file, build: nameOfBuild(published), models: built, refused };
  } finally {
    clean();
  }
}

/** Every environment there is, by name. */
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
 * What an environment holds.
 * @throws TidemarkError `InvalidInput` when there is none of that name
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
 * @throws TidemarkError `InvalidInput` when there is none of that name
 */
export function dropEnv(dataDir: string, name: string): void {
  const file = envFile(dataDir, checkName(name));
  if (!existsSync(file)) throw noSuchEnv(dataDir, name);
  for (const end of ['', '.wal']) rmSync(file + end, { force: true });
}

/**
 * Lets queries of the published warehouse read the tables of an environment in place of those of the same name.
 * @throws TidemarkError `InvalidInput` when there is none of that name
 */
export async function overlayEnv(published: Published, dataDir: string, name: string): Promise<void> {
  const { file } = await readEnv(dataDir, name);
  const [base] = await published.objects<{ name: string }>('SELECT current_database() AS name');
  await published.run(`ATTACH ${quote(file)} AS env (READ_ONLY)`);
  const schemas = await published.objects<SchemaRow>(SCHEMAS);
  await published.run(`SET search_path = ${quote(searchPath(schemas, 'env', base?.name ?? ''))}`);
}

/** The published build that is current. @throws NotPublishedError */
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

/** What an environment is for: everything whose rows may be others, and what was edited at all. */
function isBuilt({ change, rebuild }: ModelChange): boolean {
  return change !== 'removed' && (rebuild || change === 'directly modified');
}

/** Whether a model reads what only the writer's file has. */
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
 * Copies the writer's file, which no one writes while it is open for reading; a worker that comes meanwhile waits no longer
 * than the copying takes (nothing, where the file system can share blocks).
 */
async function cloneWarehouse(dataDir: string, clone: string): Promise<string> {
  const file = warehouseFile(dataDir);
  const { close } = await openReadOnly(file);
  try {
    for (const end of ['', '.wal'])
      if (existsSync(file + end)) copyFileSync(file + end, clone + end, constants.COPYFILE_FICLONE);
    return clone;
  } finally {
    close();
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
