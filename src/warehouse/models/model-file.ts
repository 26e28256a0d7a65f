import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../../base/errors.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { recall } from '../duckdb/prepared.js';
import type { SqlFile } from '../duckdb/sql-files.js';
import { HeaderAudit, toAudit, type Audit } from './audit-kinds.js';

export type { Audit } from './audit-kinds.js';

/*
 * Terms:
 * - model: one SQL file and the table that it makes. The file has a header (a block comment with YAML) and one query.
 * - version: a model's promise to its readers. A change that breaks their queries needs a new version.
 * - grain: the thing for which the table has one row ("one row per …").
 * - key: the columns that identify a row. They are unique, and not NULL unless the header lists them as nullable.
 * - audit: a query that must return no rows. If an audit with severity error returns a row, the build fails. With
 *   severity warn, the rows are only reported.
 * - deprecated: still served, until the last day that the header sets.
 */

/**
 * Published schemas. Their order here has no meaning, because the models decide the build order. `base`: stored tables
 * that views of the other schemas read; no reader may rely on them.
 */
export const MODEL_SCHEMAS = ['core', 'marts', 'ops', 'meta', 'base'] as const;

/** One column in the header, written as `TYPE | comment`. */
const Column = z.string().transform((text, context) => {
  const bar = text.indexOf(' | ');
  if (bar < 0) context.addIssue({ code: 'custom', message: 'must be written TYPE | comment' });
  return { type: text.slice(0, bar).trim(), comment: text.slice(bar + 3).trim() };
});

const Header = z.strictObject({
  model: z
    .string()
    .regex(
      /^(core|marts|ops|meta|base)\.[a-z][a-z0-9_]*$/,
      'must be core, marts, ops, meta or base, a dot, and a name of small letters, digits and _ that begins with a letter',
    ),
  /**
   * `table`: a build makes the whole table if its inputs changed. `incremental`: a build makes only the changed keys.
   * `view`: a view in the writer's file.
   */
  kind: z.enum(['table', 'incremental', 'view']),
  /**
   * Tables that the query reads. While all of them are empty, this table is empty, too. So a build skips the model of a
   * stream that no market uses.
   */
  needs: z.array(z.string()).default([]),
  version: z.int().min(1),
  /**
   * Last day on which the table is served. Set for an older version next to the latest one, or for a model that will be
   * removed.
   */
  deprecation_date: z.iso.date().optional(),
  grain: z.string().min(1),
  key: z.array(z.string()).min(1),
  /** Key columns that may be NULL. */
  nullable: z.array(z.string()).default([]),
  /**
   * False in a view of many rows whose key is unique because the keys of the stored tables are. Builds check those.
   */
  check_key: z.boolean().default(true),
  /**
   * What a key column `date` holds. `nights`: the lake has one file for each date. `days`: any days, such as those of
   * exchange rates; one file for each of them would be thousands of small files.
   */
  dates: z.enum(['nights', 'days']).default('nights'),
  description: z.string().min(1),
  /**
   * Present in incremental models, and in views whose nights are separate files of the lake: then `changed` selects the
   * nights whose rows may differ, and `by` has the column `date`. In an incremental model, the model's query reads the keys to build from the temp table `changed`. The query
   * in `changed` fills this table; for a whole build, the query in `all` fills it.
   */
  incremental: z.strictObject({ by: z.array(z.string()).min(1), changed: z.string(), all: z.string() }).optional(),
  columns: z.record(z.string(), Column),
  audits: z.array(HeaderAudit).default([]),
  /** Who answers questions about the table, such as a team. */
  owner: z.string().min(1).optional(),
  tags: z.array(z.string().min(1)).default([]),
});
type Header = z.infer<typeof Header>;

/** A parsed model file: its header and its query. */
export interface ModelFile extends Omit<Header, 'model' | 'deprecation_date' | 'audits'> {
  audits: Audit[];
  /**
   * Table that the file makes. It has the model's name, or `<name>_v<version>` for an older version next to the latest
   * one.
   */
  model: string;
  /** The model's name, the same for all its versions. */
  name: string;
  /** Last day on which the table is served, `YYYY-MM-DD`; null if no such day is set. */
  deprecationDate: string | null;
  /** File name, as in `SqlFile`: `marts/market_daily.sql`. */
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
  const match = /^\s*\/\*[ \t]*\n(.*?)\n[ \t]*\*\/[ \t]*\n(.*)$/s.exec(file.text);
  if (match === null)
    throw wrongHeader(file, 'the header is missing; a model begins with a block comment that contains YAML');
  let header: Header;
  try {
    const yaml = match[1] ?? '';
    header = recall('headers', yaml, () => Header.parse(parse(yaml)));
  } catch (error) {
    throw wrongHeader(file, error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error));
  }
  const isView = header.kind === 'view' && header.incremental?.by.includes('date') !== false;
  if (!isView && (header.kind === 'incremental') !== (header.incremental !== undefined)) {
    throw wrongHeader(
      file,
      'the block `incremental` belongs to `kind: incremental`, and to a view that has it by `date`; use both or neither',
    );
  }
  const { model: name, deprecation_date: deprecationDate = null, ...rest } = header;
  const model = tableOf(file, header);
  const description = deprecationDate === null ? rest.description : deprecatedDescription(model, header);
  // Remove semicolons at the end, because other statements contain the query.
  let query = (match[2] ?? '').trimEnd();
  while (query.endsWith(';')) query = query.slice(0, -1).trimEnd();
  return {
    ...rest,
    audits: auditsOf(file, header, model),
    description,
    model,
    name,
    deprecationDate,
    file: file.name,
    path: pathOf(file),
    text: file.text,
    sql: `${query}\n`,
  };
}

function auditsOf(file: SqlFile, { audits, columns }: Header, table: string): Audit[] {
  try {
    const all = audits.map((audit) => toAudit(audit, table, Object.keys(columns)));
    const twice = all.find(({ name }, i) => all.findIndex((other) => other.name === name) < i);
    if (twice !== undefined)
      throw new RangeError(`two audits have the name ${twice.name}; give one of them a \`name\``);
    return all;
  } catch (error) {
    throw wrongHeader(file, errorMessage(error));
  }
}

/**
 * Returns the table that a file makes. The file name shows whether the file is the latest version of a model or an
 * older one.
 */
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

/** Returns the path to show in messages. */
export function pathOf(file: SqlFile): string {
  return file.path ?? `sql/${file.name}`;
}

function wrongHeader(file: SqlFile, what: string): ModelFailedError {
  return new ModelFailedError(`${pathOf(file)}: ${what}`, 'Compare with sql/core/companies.sql.');
}
