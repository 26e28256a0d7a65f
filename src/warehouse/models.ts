import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../core/errors.js';
import { ModelFailedError } from './errors.js';
import { MODEL_SCHEMAS, parseModel, type ModelFile } from './models-file.js';
import { findParents } from './models-parents.js';
import { readSqlFolder, readSqlFolderAt, type SqlFile } from './sql-files.js';

export { MODEL_SCHEMAS, parseModel, type Audit, type ModelFile } from './models-file.js';

export interface Model extends ModelFile {
  /** Models it reads, as DuckDB's parser finds them in its query and in its block `incremental`. */
  parents: string[];
  /** Hash of its file, of the macros and seeds it uses and of its parents' fingerprints. */
  fingerprint: string;
}

/** All models, each after those it reads, and what they share. */
export interface ModelSet {
  models: Model[];
  /** Files of macros and seeds. */
  shared: SqlFile[];
}

/**
 * The models on disk: those of `sql/`, and those of a folder of one's own with the same subfolders, which add to them or
 * stand in for the one of the same file name.
 * @throws ModelFailedError when a file's header is wrong or its SQL does not parse, or a reference leads nowhere
 * @throws TidemarkError `InvalidConfig` when the folder is not there, or has models where none are read
 */
export async function readModelSet(own?: string): Promise<ModelSet> {
  if (own !== undefined) checkOwnFolder(own);
  const files = new Map<string, SqlFile>();
  for (const schema of MODEL_SCHEMAS) {
    const added = own === undefined ? [] : readSqlFolderAt(own, schema);
    for (const file of [...readSqlFolder(schema), ...added]) files.set(file.name, file);
  }
  return assembleModels([...files.values()], readShared());
}

/** A model in the wrong place would be left out without a word. */
function checkOwnFolder(own: string): void {
  const schemas: readonly string[] = MODEL_SCHEMAS;
  const stray = existsSync(own)
    ? readdirSync(own, { recursive: true, encoding: 'utf8' }).find(
        (name) => name.endsWith('.sql') && !schemas.includes(path.dirname(name)),
      )
    : null;
  if (stray === undefined) return;
  const wrong =
    stray === null
      ? `There is no folder ${own}, which \`models\` names.`
      : `${path.join(own, stray)} is in a folder that Tidemark does not read models from.`;
  throw new TidemarkError('InvalidConfig', wrong, {
    todo: `\`models\` in the configuration must name a folder with the subfolders ${MODEL_SCHEMAS.join(', ')}. Put the models (*.sql) into these.`,
  });
}

/** The models on disk, without what they share. */
export async function readModels(own?: string): Promise<Model[]> {
  return (await readModelSet(own)).models;
}

/** Macros and seeds on disk. */
export function readShared(): SqlFile[] {
  return [...readSqlFolder('macros'), ...readSqlFolder('seeds', '.csv')];
}

/** Whether a set was built with the macros and seeds of today. */
export function isSharedOnDisk({ shared }: ModelSet): boolean {
  const plain = (files: readonly SqlFile[]) => JSON.stringify(files.map(({ name, text }) => [name, text]));
  return plain(shared) === plain(readShared());
}

/**
 * Makes a set of model files, wherever they come from.
 * @throws ModelFailedError as `readModelSet`
 */
export async function assembleModels(files: readonly SqlFile[], shared: SqlFile[]): Promise<ModelSet> {
  const parsed = files.map(parseModel);
  checkVersions(parsed);
  return { models: fingerprintModels(orderModels(await findParents(parsed)), shared), shared };
}

/** An older version is one only beside a newer one. */
function checkVersions(models: readonly ModelFile[]): void {
  for (const { model, name, version, path: file } of models) {
    if (model === name) continue;
    const latest = models.find((other) => other.model === name);
    if (latest !== undefined && latest.version > version) continue;
    throw new ModelFailedError(
      `${file}: it is version ${version} of ${name}, ${latest === undefined ? 'of which there is no latest one' : `whose latest is version ${latest.version}`}.`,
      `An older version is kept beside a newer one: raise \`version\` in ${latest?.path ?? `sql/${name.replace('.', '/')}.sql`}, or remove this file.`,
    );
  }
}

/** Each model after those it reads; among equals by name. */
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
      'Correct the name or add the file.',
    );
  return ordered;
}

/** A type as DuckDB and a header both write it, to compare them. */
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
    const fingerprint = sha256([own, sharedHash, ...model.parents.map((parent) => known.get(parent))].join('\n'));
    known.set(model.model, fingerprint);
    return { ...model, fingerprint };
  });
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
