import { DamagedFileError } from '../../store/disk-errors.js';
import { buildModelInto, putSettings } from './build-model.js';
import { removeDatabase } from '../../store/database-files.js';
import type { Database } from '../duckdb/database.js';
import { MODEL_SCHEMAS, type Model } from './models.js';
import { withOwn } from './own/use-own.js';
import { pathBack } from '../duckdb/search-path.js';
import { withShared } from '../duckdb/shared.js';
import { identifier, quote, type SqlFile } from '../duckdb/sql-files.js';

/** Models that were built in the database `stage`. */
export interface Staged {
  /** Models whose tables are in the attached database `stage`. */
  models: ReadonlySet<string>;
  /** Names of models that an earlier call had already staged. */
  resumed: string[];
  /** Detaches the database `stage`; `done` also deletes its file. */
  close: (done: boolean) => Promise<void>;
}

/** Options of `stageModels`. */
export interface StageOptions {
  file: string;
  /** Identifies the data from which the models are built. A table that was staged from other data is built again. */
  builtFrom: string;
  personalData: boolean;
  /** Shipped macros and seeds of the set of models. */
  shared: readonly SqlFile[];
}

/**
 * Builds models whole in a separate database `stage`, each in its own transaction. If a call is killed, the next call
 * continues after the models that are already staged, unless models or data changed.
 * @throws ModelFailedError when a model cannot be built; models staged before it stay
 */
export async function stageModels(
  db: Database,
  models: readonly Model[],
  { file, builtFrom, personalData, shared }: StageOptions,
  onModel: (model: string) => void = () => undefined,
): Promise<Staged> {
  await attach(db, file);
  const close = async (done: boolean): Promise<void> => {
    await db.run('DETACH stage');
    if (done) removeDatabase(file);
  };
  try {
    await putSettings(db, { personalData });
    const kept = await keepValid(db, models, builtFrom);
    const build = () =>
      readingFirstFrom(db, 'stage', 'current', async () => {
        for (const model of models) {
          if (kept.has(model.model)) continue;
          onModel(model.model);
          await db.transaction(async () => {
            await buildModelInto(db, model, 'stage');
            await db.run('INSERT INTO stage.main.staged VALUES ($model, $fingerprint, $builtFrom)', {
              model: model.model,
              fingerprint: model.fingerprint,
              builtFrom,
            });
          });
        }
      });
    await withShared(db, shared, () => withOwn(db, models, build));
    return { models: new Set(models.map(({ model }) => model)), resumed: [...kept], close };
  } catch (error) {
    await close(error instanceof DamagedFileError);
    throw error;
  }
}

/**
 * Runs `work`. A table name without a database then means the table in `first`, or else in `base` (`current`: the open
 * database). So the SQL of a model needs no change to read parents that were just staged.
 */
export async function readingFirstFrom<T>(
  db: Database,
  first: string,
  base: string,
  work: () => Promise<T>,
): Promise<T> {
  const back = await pathBack(db);
  const [{ name } = { name: base }] =
    base === 'current' ? await db.rows<{ name: string }>('SELECT current_database() AS name') : [{ name: base }];
  await db.run(`SET search_path = ${quote(searchPath(await db.rows<SchemaRow>(SCHEMAS), first, name))}`);
  try {
    return await work();
  } finally {
    await db.run(back);
  }
}

/** One row of the query in `SCHEMAS`. */
export interface SchemaRow {
  database_name: string;
  schema_name: string;
}

/** SQL query for the schemas that a search path may contain. */
export const SCHEMAS = `SELECT database_name, schema_name FROM duckdb_schemas() WHERE schema_name IN ('ledger', 'base', ${MODEL_SCHEMAS.map(quote).join(', ')})`;

/** Returns a value for DuckDB's setting `search_path`: the schemas of `first`, then the schemas of `base`. */
export function searchPath(schemas: readonly SchemaRow[], first: string, base: string): string {
  return [first, base]
    .flatMap((database) => schemas.filter((schema) => schema.database_name === database))
    .map((schema) => `${identifier(schema.database_name)}.${schema.schema_name}`)
    .join(',');
}

async function attach(db: Database, file: string): Promise<void> {
  try {
    await db.run(`ATTACH ${quote(file)} AS stage`);
  } catch {
    // A killed call left an unreadable file. Delete the file and stage all models again.
    removeDatabase(file);
    await db.run(`ATTACH ${quote(file)} AS stage`);
  }
  for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS stage.${schema}`);
  await db.run(
    'CREATE TABLE IF NOT EXISTS stage.main.staged (model VARCHAR NOT NULL, fingerprint VARCHAR NOT NULL, built_from VARCHAR NOT NULL)',
  );
}

/**
 * Keeps valid staged tables and drops invalid ones. If an invalid table stayed, models would read it instead of the
 * table in use.
 */
async function keepValid(db: Database, models: readonly Model[], builtFrom: string): Promise<Set<string>> {
  const rows = await db.rows<{ model: string; fingerprint: string; built_from: string }>('FROM stage.main.staged');
  const valid = new Set<string>();
  for (const row of rows) {
    const model = models.find((one) => one.model === row.model);
    if (model?.fingerprint === row.fingerprint && row.built_from === builtFrom) {
      valid.add(row.model);
      continue;
    }
    await db.transaction(async () => {
      await db.run(`DROP TABLE IF EXISTS stage.${row.model}`);
      await db.run('DELETE FROM stage.main.staged WHERE model = $model', { model: row.model });
    });
  }
  return valid;
}
