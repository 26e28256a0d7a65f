import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { LandingStream } from '../../../../schemas/streams/landing-streams.js';
import { errorMessage, TidemarkError } from '../../../base/errors.js';

/** Folders in which cases are searched by default: `sql/` and `test/sql/cases/`. */
const DEFAULT_FOLDERS = ['../../../../sql/', '../../../../test/sql/cases/'].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);

/** An answer of the API, as a case states it. */
export const Answer = z.strictObject({
  stream: LandingStream,
  /** Entity id; null for a page of a search. */
  entity: z.string().nullable().optional(),
  /** A string is landed unchanged. Any other value is landed as JSON. */
  body: z.unknown().refine((body) => body !== undefined, 'must be the body of the answer'),
  status: z.int().optional(),
  /** Default 2026-11-20T02:00:00Z. */
  at: z.iso.datetime({ offset: true }).optional(),
  run: z.string().optional(),
  date: z.iso.date().optional(),
  market: z.string().nullable().optional(),
  /** Request key. Default: made from the stream and the entity. */
  request: z.string().optional(),
  /** Kind of the row. `page-1`, for example, is a page that is not the last of its listing. */
  row_kind: z.string().optional(),
});

const Rows = z.array(z.record(z.string(), z.unknown()));

/**
 * A case that gives answers of the API. It lands the answers, builds the models that its queries read, and compares the
 * rows of the queries.
 */
const AnswersCase = z.strictObject({
  name: z.string().min(1),
  given: z.array(Answer),
  /**
   * Answers that are landed and loaded after the first build of the models. Then the models are built a second time.
   */
  later: z.array(Answer).optional(),
  /** Expected rows, in the JSON that DuckDB writes: BIGINT, DATE and TIMESTAMPTZ are text. */
  expect: z.array(z.strictObject({ query: z.string().min(1), rows: Rows })).min(1),
});

/**
 * A case that gives rows of tables. It fills the tables that one model reads, and compares the model's rows. The order
 * of rows makes no difference. Columns that the case does not name are ignored.
 */
const RowsCase = z.strictObject({
  name: z.string().min(1),
  model: z.string().min(1),
  given: z.array(z.strictObject({ input: z.string().regex(/^[a-z]+\.[a-z0-9_]+$/), rows: Rows })),
  expect: z.strictObject({ rows: Rows }),
});

export type RowsCase = z.infer<typeof RowsCase>;
/** A case of either kind: `AnswersCase` or `RowsCase`. `file` is its path relative to the current folder. */
export type ModelCase = (z.infer<typeof AnswersCase> | RowsCase) & { file: string };

/**
 * Reads the cases of files and folders, including subfolders, sorted by name.
 * @param named Files and folders; empty: the cases of this checkout
 * @throws TidemarkError `InvalidInput` when a path is missing, when there is no case, or when a case is malformed
 */
export function readCases(named: readonly string[]): ModelCase[] {
  const missing = named.find((each) => !existsSync(each));
  if (missing !== undefined) throw invalid(`${missing} does not exist.`, 'Name a YAML file of cases, or a folder.');
  const places = named.length > 0 ? named : DEFAULT_FOLDERS.filter((folder) => existsSync(folder));
  const cases = [...new Set(places.flatMap(listFiles))].flatMap(readCaseFile);
  if (cases.length === 0)
    throw invalid(
      `No test case was found in ${places.join(', ')}.`,
      'Write the cases as entries of .yaml files, as in test/sql/cases.',
    );
  return cases;
}

function listFiles(place: string): string[] {
  if (statSync(place).isFile()) return [path.resolve(place)];
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => path.resolve(entry.parentPath, entry.name))
    .toSorted();
}

function readCaseFile(file: string): ModelCase[] {
  const shown = path.relative('.', file);
  try {
    const entries = z.array(z.looseObject({})).parse(parse(readFileSync(file, 'utf8')) ?? []);
    return entries.map((entry) => ({ file: shown, ...('model' in entry ? RowsCase : AnswersCase).parse(entry) }));
  } catch (error) {
    throw invalid(
      `${shown} is not a valid case file: ${error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error)}`,
      'Compare with test/sql/cases/companies.yaml, or with test/sql/cases/market-rows.yaml for a case of one model.',
    );
  }
}

function invalid(message: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidInput', message, { todo });
}
