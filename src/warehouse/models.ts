import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../core/errors.js';
import { ModelFailedError } from './errors.js';
import { readSqlFile, readSqlFolder, type SqlFile } from './sql-files.js';

/** Schemas that are published, in no particular order: references decide that. */
export const MODEL_SCHEMAS = ['core', 'marts', 'ops', 'meta'] as const;

const Audit = z.strictObject({
  name: z.string(),
  severity: z.enum(['warn', 'error']),
  /** Selects offending rows; none is good. */
  sql: z.string(),
});
export type Audit = z.infer<typeof Audit>;

/** `TYPE | comment` */
const Column = z.string().transform((text, context) => {
  const bar = text.indexOf(' | ');
  if (bar < 0) context.addIssue({ code: 'custom', message: 'must be written TYPE | comment' });
  return { type: text.slice(0, bar).trim(), comment: text.slice(bar + 3).trim() };
});

const Header = z.strictObject({
  model: z.string().regex(/^(core|marts|ops|meta)\.[a-z_]+$/),
  /** table: built anew each time. incremental: only the keys that changed. view: a view in the writer's file. */
  kind: z.enum(['table', 'incremental', 'view']),
  version: z.int().min(1),
  grain: z.string().min(1),
  key: z.array(z.string()).min(1),
  /** Key columns that may be NULL. */
  nullable: z.array(z.string()).default([]),
  description: z.string().min(1),
  /** The query reads the keys to build from the temp table `changed`; `changed` and `all` fill it. */
  incremental: z.strictObject({ by: z.array(z.string()).min(1), changed: z.string(), all: z.string() }).optional(),
  columns: z.record(z.string(), Column),
  audits: z.array(Audit).default([]),
});

export interface Model extends z.infer<typeof Header> {
  file: string;
  /** The whole file. */
  text: string;
  /** The query, without its header. */
  sql: string;
  /** Models it reads. */
  parents: string[];
  /** Hash of its file, of the macros and seeds it uses and of its parents' fingerprints. */
  fingerprint: string;
}

/** All models of `sql/`, each after those it reads. */
export function readModels(): Model[] {
  const files = MODEL_SCHEMAS.flatMap((schema) => readSqlFolder(schema));
  const shared = [...readSqlFolder('macros'), readSqlFile('seeds/indicators.csv')];
  return fingerprintModels(orderModels(files.map(parseModel)), shared);
}

/**
 * Reads a model file: a leading block comment that holds YAML, then one query.
 * @throws ModelFailedError when the header is missing or wrong
 */
export function parseModel(file: SqlFile): Omit<Model, 'fingerprint'> {
  const match = /^\/\*\n(.*?)\n\*\/\n(.*)$/s.exec(file.text);
  if (match === null) throw wrongHeader(file, 'it has no header: a block comment with YAML must come first');
  let header: z.infer<typeof Header>;
  try {
    header = Header.parse(parse(match[1] ?? ''));
  } catch (error) {
    throw wrongHeader(file, error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error));
  }
  const expected = `${header.model.replace('.', '/')}.sql`;
  if (file.name !== expected) throw wrongHeader(file, `it makes ${header.model}, so it must be sql/${expected}`);
  if ((header.kind === 'incremental') !== (header.incremental !== undefined)) {
    throw wrongHeader(file, 'kind incremental and the block `incremental` belong together');
  }
  const sql = match[2] ?? '';
  const read = [sql, header.incremental?.changed, header.incremental?.all].join('\n').replaceAll(/--.*$/gm, '');
  const parents = new Set([...read.matchAll(/\b(?:core|marts|ops|meta)\.[a-z_]+\b/g)].map(([name]) => name));
  parents.delete(header.model);
  return { ...header, file: file.name, text: file.text, sql, parents: [...parents].toSorted() };
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
        'Take one of the references out.',
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
      `Models that do not exist are read: ${missing.join(', ')}.`,
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

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function wrongHeader(file: SqlFile, what: string): ModelFailedError {
  return new ModelFailedError(`sql/${file.name}: ${what}`, 'Compare with sql/core/companies.sql.');
}
