import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../core/errors.js';
import { ModelFailedError } from '../duckdb/errors.js';
import type { SqlFile } from '../duckdb/sql-files.js';

/*
 * Terms:
 * - model: one SQL file and the table it makes. The file has a header (a block comment with YAML) and one query.
 * - version: a model's promise to its readers. A change that breaks their queries needs a new version.
 * - grain: the thing for which the table has one row ("one row per …").
 * - key: columns that identify a row. Unique, and not NULL unless the header lists them as nullable.
 * - audit: a query that must return no rows. With severity error, a row fails the build; with warn, it is only
 *   reported.
 * - deprecated: still served, until the last day in the header.
 */

/** Published schemas in any order: the models themselves decide the build order. */
export const MODEL_SCHEMAS = ['core', 'marts', 'ops', 'meta'] as const;

const Audit = z.strictObject({
  name: z.string(),
  severity: z.enum(['warn', 'error']),
  /** Selects wrong rows; the audit passes if there is none. */
  sql: z.string(),
});
/** An audit in the header of a model: a query that must return no rows. */
export type Audit = z.infer<typeof Audit>;

/** A column in the header: `TYPE | comment`. */
const Column = z.string().transform((text, context) => {
  const bar = text.indexOf(' | ');
  if (bar < 0) context.addIssue({ code: 'custom', message: 'must be written TYPE | comment' });
  return { type: text.slice(0, bar).trim(), comment: text.slice(bar + 3).trim() };
});

const Header = z.strictObject({
  model: z.string().regex(/^(core|marts|ops|meta)\.[a-z][a-z0-9_]*$/),
  /** `table`: built whole each time. `incremental`: only the keys that changed. `view`: a view in the writer's file. */
  kind: z.enum(['table', 'incremental', 'view']),
  version: z.int().min(1),
  /**
   * Last day on which the table is served. For an older version next to the latest one, or for a model to be removed.
   */
  deprecation_date: z.iso.date().optional(),
  grain: z.string().min(1),
  key: z.array(z.string()).min(1),
  /** Key columns that may be NULL. */
  nullable: z.array(z.string()).default([]),
  description: z.string().min(1),
  /**
   * The model's query reads the keys to build from the temp table `changed`. The query `changed` fills this table; for
   * a whole build, the query `all` fills it.
   */
  incremental: z.strictObject({ by: z.array(z.string()).min(1), changed: z.string(), all: z.string() }).optional(),
  columns: z.record(z.string(), Column),
  audits: z.array(Audit).default([]),
});
type Header = z.infer<typeof Header>;

/** A parsed model file: its header and its query. */
export interface ModelFile extends Omit<Header, 'model' | 'deprecation_date'> {
  /**
   * Table that the file makes: the model's name, or `<name>_v<version>` for an older version next to the latest one.
   */
  model: string;
  /** The model's name, the same for all its versions. */
  name: string;
  /** Last day on which the table is served, `YYYY-MM-DD`; null if it has no last day. */
  deprecationDate: string | null;
  /** File name as in `SqlFile`: `marts/market_daily.sql`. */
  file: string;
  /** Path for messages: `sql/marts/market_daily.sql`. */
  path: string;
  /** The whole file. */
  text: string;
  /** The query, without its header. */
  sql: string;
}

/**
 * Parses a model file: a leading block comment that contains YAML, then one query.
 * @throws ModelFailedError when the header is missing or wrong
 */
export function parseModel(file: SqlFile): ModelFile {
  const match = /^\/\*\n(.*?)\n\*\/\n(.*)$/s.exec(file.text);
  if (match === null)
    throw wrongHeader(file, 'the header is missing; a model begins with a block comment that contains YAML');
  let header: Header;
  try {
    header = Header.parse(parse(match[1] ?? ''));
  } catch (error) {
    throw wrongHeader(file, error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error));
  }
  if ((header.kind === 'incremental') !== (header.incremental !== undefined)) {
    throw wrongHeader(file, 'the block `incremental` belongs to `kind: incremental`; use both or neither');
  }
  const { model: name, deprecation_date: deprecationDate = null, ...rest } = header;
  const model = tableOf(file, header);
  const description = deprecationDate === null ? rest.description : deprecatedDescription(model, header);
  // Remove semicolons from the end: other statements embed the query.
  const sql = (match[2] ?? '').replace(/[\s;]*$/, '\n');
  return {
    ...rest,
    description,
    model,
    name,
    deprecationDate,
    file: file.name,
    path: pathOf(file),
    text: file.text,
    sql,
  };
}

/** Table that a file makes. The file name tells whether it is the latest version of a model or an older one. */
function tableOf(file: SqlFile, { model, version, deprecation_date: date }: Header): string {
  const own = `${model.replace('.', '/')}.sql`;
  const older = own.replace(/\.sql$/, `_v${version}.sql`);
  if (file.name === own) return model;
  if (file.name !== older)
    throw wrongHeader(
      file,
      `the header says version ${version} of ${model}; name the file sql/${own}, or sql/${older} if a newer version exists`,
    );
  if (date === undefined)
    throw wrongHeader(file, 'an older version needs `deprecation_date: YYYY-MM-DD` in its header, its last day');
  return `${model}_v${version}`;
}

function deprecatedDescription(table: string, { model, version, description, deprecation_date: date }: Header): string {
  const what =
    table === model
      ? `served until ${date}.`
      : `version ${version} of ${model}, served until ${date}; use ${model} instead.`;
  return `Deprecated: ${what} ${description}`;
}

/** Path of a file for messages. */
export function pathOf(file: SqlFile): string {
  return file.path ?? `sql/${file.name}`;
}

function wrongHeader(file: SqlFile, what: string): ModelFailedError {
  return new ModelFailedError(`${pathOf(file)}: ${what}`, 'Compare with sql/core/companies.sql.');
}
