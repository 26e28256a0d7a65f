import { existsSync, readdirSync, realpathSync, renameSync } from 'node:fs';
import { TidemarkError } from '../../base/errors.js';
import type { TableSettings } from '../../config/config.js';
import { removeDatabase, removeLeftovers } from '../../store/database-files.js';
import { makeFolder, syncFile, syncFolder } from '../../store/files.js';
import { runAudits } from '../models/audit.js';
import { buildModel, putSettings, readRelations } from '../models/build-model.js';
import { nameOfBuild } from '../builds/builds.js';
import { resolveBuild } from '../builds/published.js';
import { copyClosed } from '../duckdb/copy-closed.js';
import { readModels, type Model } from '../models/models.js';
import { withOwn } from '../models/own/use-own.js';
import { modelsInForce } from '../models/in-force.js';
import type { ChangeKind, ModelChange } from '../models/plan.js';
import { planFrom } from '../models/read-plan.js';
import { lockFile } from '../duckdb/locks.js';
import { openCopy, readOnly } from '../duckdb/open.js';
import { envDir, envFile, publishedFile, warehouseFile } from '../../store/data-folder.js';
import { prepareSession } from '../duckdb/session.js';
import { useShared } from '../duckdb/shared.js';
import { readsOfModels } from '../models/reads.js';
import { utcDay } from '../../base/time/time.js';

/** Input of `applyEnv`. */
export interface EnvRequest extends Omit<TableSettings, 'rates'> {
  name: string;
  now: Date;
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
 * Copies the published build, and builds the changed models and the models that read them in the copy. If one of them
 * reads tables that are not published (`ledger`), copies the writer's file. Does not change the writer's file or the
 * published build. Replaces an environment of the same name.
 * @throws NotPublishedError when nothing is published
 * @throws WarehouseBusyError when a changed model reads the writer's tables while a worker has them open
 * @throws ModelFailedError when a model cannot be built; the environment stays as it was
 */
export async function applyEnv(dataDir: string, request: EnvRequest): Promise<EnvBuilt> {
  const { name, now, modelsDir } = request;
  const file = envFile(dataDir, checkName(name));
  const published = resolveBuild(publishedFile(dataDir));
  const day = utcDay(now);
  const { models } = modelsInForce(await readModels(modelsDir), day);
  const changes = await readOnly(published, (db) => planFrom(db, 'meta.models', { models }, { day }));
  const changeOf = new Map(changes.filter(isBuilt).map(({ model, change }) => [model, change]));
  await makeFolder(envDir(dataDir));
  const made = `${file}.new`;
  removeDatabase(made);
  try {
    const toBuild = models.filter(({ model }) => changeOf.has(model));
    if (await readsLedger(toBuild)) await copyWarehouse(dataDir, made);
    else await copyClosed(published, made);
    const build = nameOfBuild(published);
    const built = await buildIn(made, toBuild, changeOf, { ...request, build });
    // A killed client may have left the write-ahead log of the old file. Remove this log, because DuckDB would apply it
    // to the new file.
    removeLeftovers(file);
    await syncFile(made);
    renameSync(made, file);
    await syncFolder(envDir(dataDir));
    return { file, build, models: built, refused: changes.filter(({ refused }) => refused.length > 0) };
  } finally {
    removeDatabase(made);
  }
}

/** Builds models in a file, and records them in its table `main.environment`. */
async function buildIn(
  file: string,
  models: readonly Model[],
  changeOf: ReadonlyMap<string, ChangeKind>,
  { now, personalData, build, onModel = () => undefined }: EnvRequest & { build: string },
): Promise<EnvBuilt['models']> {
  const { db, close } = await openCopy(file);
  try {
    await prepareSession(db);
    await useShared(db);
    await putSettings(db, { personalData });
    await db.run(
      'CREATE TABLE main.environment (model VARCHAR, change VARCHAR, definition VARCHAR, built_at TIMESTAMPTZ, build VARCHAR)',
    );
    const existing = await readRelations(db);
    const built: EnvBuilt['models'] = [];
    await withOwn(db, models, async () => {
      for (const model of models) {
        onModel(model.model);
        const change = changeOf.get(model.model) ?? 'added';
        await buildModel(db, model, 'whole', existing);
        const checks = await runAudits(db, model);
        const failed = checks.filter(({ failingRows }) => failingRows > 0);
        built.push({
          model: model.model,
          change,
          rows: await db.count(`SELECT count(*) FROM ${model.model}`),
          failedAudits: failed.map(({ check, failingRows }) => `${check} (${failingRows})`),
        });
        await db.run('INSERT INTO main.environment VALUES ($model, $change, $text, CAST($at AS TIMESTAMPTZ), $build)', {
          model: model.model,
          change,
          text: model.text,
          at: now.toISOString(),
          build,
        });
      }
    });
    return built;
  } finally {
    close();
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
  const rows = await readOnly(file, (db) =>
    db.rows<{ model: string; at: string; build: string }>(
      `SELECT model, strftime(built_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS at, build FROM environment ORDER BY model`,
    ),
  );
  const { at = '', build = '' } = rows[0] ?? {};
  const isStale = rows.length > 0 && build !== current;
  return { name, file, builtAt: at, build, isStale, models: rows.map((row) => row.model) };
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

/** Returns whether to build a model: its file was edited, or its rows may change. */
function isBuilt({ change, rebuild }: ModelChange): boolean {
  return change !== 'removed' && (rebuild || change === 'directly modified');
}

/** Returns whether a model reads tables that exist only in the writer's file. */
async function readsLedger(models: readonly Model[]): Promise<boolean> {
  const reads = [...(await readsOfModels(models, new Map())).values()];
  return reads.some(({ rows }) => [...rows.tables].some((table) => table.startsWith('ledger.')));
}

/**
 * Copies the writer's file. Holds the lock of the file during the copy, so a worker that wants to write fails and tries
 * again. On file systems that can share blocks between files, the copy is immediate.
 */
async function copyWarehouse(dataDir: string, to: string): Promise<void> {
  const file = warehouseFile(dataDir);
  if (!existsSync(file))
    throw new TidemarkError('Internal', `${file} does not exist.`, {
      todo: 'Run `tidemark replay`: it makes the warehouse from the landing zone.',
    });
  const lock = await lockFile(dataDir, 'tidemark models apply --env');
  try {
    await copyClosed(file, to);
    // A killed writer left a log of changes that are not in the file yet.
    if (existsSync(`${file}.wal`)) await copyClosed(`${file}.wal`, `${to}.wal`);
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
