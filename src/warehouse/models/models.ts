import { ModelFailedError } from '../duckdb/errors.js';
import { MODEL_SCHEMAS, parseModel, type ModelFile } from './model-file.js';
import { findParents } from './parents.js';
import type { OwnObject } from './own/own-object.js';
import { readOwnFiles } from './own/own-files.js';
import { readOwn } from './own/read-own.js';
import { findUses, textOfUse } from './own/uses.js';
import { readShared, readSqlFolder, type SqlFile } from '../duckdb/sql-files.js';
import { sha256 } from '../../base/hash.js';

export { MODEL_SCHEMAS, parseModel, type Audit, type ModelFile } from './model-file.js';

/** A model file with its parents and fingerprint. */
export interface Model extends ModelFile {
  /** Models that this model reads. DuckDB's parser finds their names in the query and in the block `incremental`. */
  parents: string[];
  /** Macros and seeds of the user's own folder that the model uses, in the order in which they are created. */
  uses?: readonly OwnObject[];
  /**
   * Hash of the model's own query and those header fields that decide its rows, all shipped macros and seeds, the own
   * ones that it uses, and the fingerprints of its parents.
   */
  fingerprint: string;
}

/** All models, with the macros and seeds that they share. A model comes after the models that it reads. */
export interface ModelSet {
  models: Model[];
  /** Files of the shipped macros and seeds. */
  shared: SqlFile[];
  /** Files of the user's own macros and seeds. */
  own: SqlFile[];
}

/**
 * Reads the models on disk: first the models of `sql/`, then those of the user's own folder, which has the same
 * subfolders. A file of the user adds a model, or replaces the shipped model with the same file name. The folder may
 * also have macros and seeds.
 * @throws ModelFailedError when a header, macro or seed is wrong, SQL does not parse, or a model reads a model that
 * does not exist
 * @throws TidemarkError `InvalidConfig` when the user's folder is missing, or has files that Tidemark would ignore
 */
export async function readModelSet(folder?: string): Promise<ModelSet> {
  const { models: added, own } = folder === undefined ? { models: [], own: [] } : readOwnFiles(folder);
  const files = new Map<string, SqlFile>();
  for (const file of [...MODEL_SCHEMAS.flatMap((schema) => readSqlFolder(schema)), ...added])
    files.set(file.name, file);
  return assembleModels([...files.values()], readShared(), own);
}

/** Reads the models on disk, without macros and seeds. */
export async function readModels(own?: string): Promise<Model[]> {
  return (await readModelSet(own)).models;
}

/**
 * Makes a set of models from model files of any origin.
 * @throws ModelFailedError for the same faults as `readModelSet`
 */
export async function assembleModels(
  files: readonly SqlFile[],
  shared: SqlFile[],
  own: SqlFile[] = [],
): Promise<ModelSet> {
  const parsed = files.map(parseModel);
  checkVersions(parsed);
  const ordered = orderModels(await findParents(parsed));
  const used = await findUses(ordered, await readOwn(own, shared));
  return { models: fingerprintModels(used, shared), shared, own };
}

/** Rejects an older version of a model if no newer version exists. */
function checkVersions(models: readonly ModelFile[]): void {
  for (const { model, name, version, path: file } of models) {
    if (model === name) continue;
    const latest = models.find((other) => other.model === name);
    if (latest !== undefined && latest.version > version) continue;
    throw new ModelFailedError(
      `${file} is version ${version} of ${name}, but ${latest === undefined ? 'the file of the latest version is missing' : `the latest version is ${latest.version}`}.`,
      latest === undefined
        ? `Add sql/${name.replace('.', '/')}.sql with a \`version\` above ${version}, or remove ${file}.`
        : `In ${latest.path}, raise \`version\` above ${version}. Or remove ${file}.`,
    );
  }
}

/**
 * Sorts models by name, but moves each model after the models that it reads.
 * @throws ModelFailedError when models read each other in a circle, or a model reads one that does not exist
 */
export function orderModels<M extends Pick<Model, 'model' | 'parents'>>(models: M[]): M[] {
  const waiting = new Map(models.toSorted((a, b) => (a.model < b.model ? -1 : 1)).map((model) => [model.model, model]));
  const ordered: M[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter((model) => !model.parents.some((parent) => waiting.has(parent)));
    if (ready.length === 0) {
      throw new ModelFailedError(
        `Models read each other in a circle: ${[...waiting.keys()].join(', ')}.`,
        'Remove one of the references.',
      );
    }
    for (const model of ready) {
      waiting.delete(model.model);
      ordered.push(model);
    }
  }
  const missing = ordered.flatMap((model) =>
    model.parents
      .filter((parent) => !ordered.some((other) => other.model === parent))
      .map((parent) => `${model.model} reads ${parent}`),
  );
  if (missing.length > 0)
    throw new ModelFailedError(
      `Some models read models that do not exist: ${missing.join(', ')}.`,
      'Correct the name in the SQL, or add the file of the missing model.',
    );
  return ordered;
}

/** Normalizes the name of a type, so that the type in a header and DuckDB's type can be compared. */
export function plainType(type: string): string {
  return type.replaceAll('"', '').replaceAll('TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE');
}

function fingerprintModels(ordered: Omit<Model, 'fingerprint'>[], shared: SqlFile[]): Model[] {
  const known = new Map<string, string>();
  const sharedHash = sha256(shared.map((file) => file.text).join('\n'));
  return ordered.map((model) => {
    const own = JSON.stringify({
      sql: model.sql,
      kind: model.kind,
      version: model.version,
      key: model.key,
      incremental: model.incremental,
      columns: model.columns,
    });
    const used = (model.uses ?? []).map(textOfUse);
    const parents = model.parents.map((parent) => known.get(parent));
    const fingerprint = sha256([own, sharedHash, ...used, ...parents].join('\n'));
    known.set(model.model, fingerprint);
    return { ...model, fingerprint };
  });
}
