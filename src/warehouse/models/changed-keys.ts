import { randomUUID } from 'node:crypto';
import type { How } from './build-model.js';
import type { Database } from '../duckdb/database.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import type { Model } from './models.js';

/*
 * Records what the builds of the models changed, for the next publication:
 * - `buildModels` adds a build and its changed keys in the transaction that changes the tables. So a kill leaves either
 *   both or nothing.
 * - A published file names in its receipt the last build that it contains. A publication that copies this file applies
 *   the keys of all later builds.
 * - After the readers were switched, `forgetPublished` deletes the keys that the new file contains. If the process is
 *   killed before, the keys stay, and no publication reads them again.
 */

/** A build of the models in the ledger. */
export interface ModelBuild {
  /** Number of the build, from 1. */
  build: number;
  /** Random id, which no other warehouse has. */
  id: string;
}

/** Adds a build of the models, and returns its number. Call it in the transaction that changes the tables. */
export async function addModelBuild(db: Database, { personalData }: { personalData: boolean }): Promise<number> {
  const build = ((await lastModelBuild(db))?.build ?? 0) + 1;
  await db.run('INSERT INTO ledger.model_builds VALUES ($build, $id, $personalData)', {
    build,
    id: randomUUID(),
    personalData,
  });
  return build;
}

/**
 * Records the keys of a model that a build replaced. Reads them from the temp table `changed`. Models of other kinds
 * than `incremental` need no record: a publication compares their whole tables.
 */
export async function recordChangedKeys(db: Database, build: number, model: Model, how: How): Promise<void> {
  if (model.incremental === undefined) return;
  if (how !== 'changed')
    return db.run('INSERT INTO ledger.changed_keys VALUES ($build, $model, NULL)', { build, model: model.model });
  const by = model.incremental.by.map(identifier).join(', ');
  await db.run(
    `INSERT INTO ledger.changed_keys
     SELECT $build, $model, CAST(to_json(k) AS VARCHAR) FROM (SELECT DISTINCT ${by} FROM changed) AS k`,
    { build, model: model.model },
  );
}

/** Returns the last build of the models; undefined before the first build. */
export async function lastModelBuild(db: Database): Promise<ModelBuild | undefined> {
  const [row] = await db.rows<{ build: string; build_id: string }>(
    'SELECT build, build_id FROM ledger.model_builds ORDER BY build DESC LIMIT 1',
  );
  return row && { build: Number(row.build), id: row.build_id };
}

/** What the builds after a build changed. */
export interface Since {
  /** Number of the build. */
  build: number;
  /** Incremental models that a later build made whole. */
  rebuilt: string[];
  /** Incremental models with changed keys. */
  changed: Set<string>;
  /** Whether a later build kept other personal data. */
  otherPersonalData: boolean;
}

/** Returns what changed since a build; undefined when the ledger does not know the build. */
export async function readSince(db: Database, id: string): Promise<Since | undefined> {
  const [known] = await db.rows<{ build: string; kinds: string }>(
    `SELECT build, (SELECT count(DISTINCT later.personal_data) FROM ledger.model_builds AS later WHERE later.build >= known.build) AS kinds
     FROM ledger.model_builds AS known WHERE build_id = $id`,
    { id },
  );
  if (known === undefined) return undefined;
  const build = Number(known.build);
  const rows = await db.rows<{ model: string; rebuilt: boolean }>(
    `SELECT model, bool_or(key IS NULL) AS rebuilt FROM ledger.changed_keys WHERE build > $build GROUP BY model ORDER BY model`,
    { build },
  );
  return {
    build,
    rebuilt: rows.flatMap(({ model, rebuilt }) => (rebuilt ? [model] : [])),
    changed: new Set(rows.map(({ model }) => model)),
    otherPersonalData: Number(known.kinds) > 1,
  };
}

/** Returns a query for the keys of a model that builds after `build` replaced. Its columns are those of `incremental.by`. */
export function changedKeysSince(build: number, { model, incremental, columns }: Model): string {
  const parts = (incremental?.by ?? []).map(
    (name) => `CAST(key ->> ${quote(`$."${name}"`)} AS ${columns[name]?.type ?? 'VARCHAR'}) AS ${identifier(name)}`,
  );
  return `SELECT DISTINCT ${parts.join(', ')} FROM ledger.changed_keys WHERE build > ${build} AND model = ${quote(model)} AND key IS NOT NULL`;
}

/**
 * Deletes the records of changes up to this build. A published file already contains the build, so no later publication
 * needs these records.
 */
export async function forgetPublished(db: Database, { build }: ModelBuild): Promise<void> {
  await db.transaction(async () => {
    await db.run('DELETE FROM ledger.changed_keys WHERE build <= $build', { build });
    await db.run('DELETE FROM ledger.model_builds WHERE build < $build', { build });
  });
}
