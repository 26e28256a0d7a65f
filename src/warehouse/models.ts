import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../core/errors.js';
import { ModelFailedError } from './errors.js';
import { readSqlFile, readSqlFolder, type SqlFile } from './sql-files.js';
import { withParser, type SqlParser } from './sql-parser.js';

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

/** A model's file: its header and its query. */
export interface ModelFile extends z.infer<typeof Header> {
  file: string;
  /** The whole file. */
  text: string;
  /** The query, without its header. */
  sql: string;
}

export interface Model extends ModelFile {
  /** Models it reads, as DuckDB's parser finds them in its query and in its block `incremental`. */
  parents: string[];
  /** Hash of its file, of the macros and seeds it uses and of its parents' fingerprints. */
  fingerprint: string;
}

/**
 * All models of `sql/`, each after those it reads.
 * @throws ModelFailedError when a file's header is wrong or its SQL does not parse, or a reference leads nowhere
 */
export async function readModels(): Promise<Model[]> {
  const files = MODEL_SCHEMAS.flatMap((schema) => readSqlFolder(schema));
  const shared = [...readSqlFolder('macros'), readSqlFile('seeds/indicators.csv')];
  return fingerprintModels(orderModels(await findParents(files.map(parseModel))), shared);
}

/**
 * Finds what each model reads.
 * @throws ModelFailedError with file and line, when SQL of a model does not parse
 */
export async function findParents(models: readonly ModelFile[]): Promise<Omit<Model, 'fingerprint'>[]> {
  return withParser(async (parser) => {
    const found: Omit<Model, 'fingerprint'>[] = [];
    for (const model of models) found.push({ ...model, parents: await parentsOf(parser, model) });
    return found;
  });
}

async function parentsOf(parser: SqlParser, model: ModelFile): Promise<string[]> {
  const firstLine = model.text.slice(0, model.text.length - model.sql.length).split('\n').length;
  const parents = [...(await tablesIn(parser, model, model.sql, (line) => firstLine + line - 1))];
  for (const name of ['changed', 'all'] as const) {
    const sql = model.incremental?.[name];
    // YAML folds its lines: the line where it begins has to do.
    const at = model.text.split('\n').findIndex((line) => line.trim().startsWith(`${name}:`)) + 1;
    if (sql !== undefined) parents.push(...(await tablesIn(parser, model, sql, () => at)));
  }
  for (const audit of model.audits) await tablesIn(parser, model, audit.sql, () => null, `audit ${audit.name}: `);
  return [...new Set(parents)].filter((name) => isModelName(name) && name !== model.model).toSorted();
}

async function tablesIn(
  parser: SqlParser,
  { file }: ModelFile,
  sql: string,
  lineInFile: (line: number) => number | null,
  what = '',
): Promise<readonly string[]> {
  const { tables, fault } = await parser.parse(sql);
  if (tables !== undefined) return tables;
  const line = lineInFile(fault.line ?? 1);
  throw new ModelFailedError(
    `sql/${file}${line === null ? '' : `:${line}`}: ${what}DuckDB cannot parse it: ${fault.message}.`,
    'Correct the SQL there. Nothing was built; readers keep what they have.',
  );
}

function isModelName(name: string): boolean {
  return MODEL_SCHEMAS.some((schema) => name.startsWith(`${schema}.`));
}

/**
 * Reads a model file: a leading block comment that holds YAML, then one query.
 * @throws ModelFailedError when the header is missing or wrong
 */
export function parseModel(file: SqlFile): ModelFile {
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
  return { ...header, file: file.name, text: file.text, sql: match[2] ?? '' };
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
