import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import type { ListColumns } from '../../../base/csv/columns.js';
import { readRows, type Fields, type Rows } from '../../../base/csv/read-rows.js';
import { invalidInput } from '../../../base/errors.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import { wrongInput } from '../../../base/parse-input.js';
import type { Data } from '../../../store/data.js';

/** A kind of list. Says what the columns mean and which rows are usable. */
export interface ListKind<Field extends string> extends ListColumns<Field> {
  /** Returns why a row cannot become a question; null when it can. */
  problemOf: (question: Fields<Field>) => string | null;
  /** Removes the values that may be kept only with `personalData: contacts`. Equal questions give equal results. */
  withoutPersonalData: (question: Fields<Field>) => Fields<Field>;
}

/** The content of a list that a run needs. It contains only data that the configuration allows to keep. */
export const PreparedList = z.object({
  /** Questions as canonical JSON, without duplicates, in the order of the file. */
  questions: z.array(z.string()),
  /** Rows that cannot become a question. `text` is '' unless `personalData` is `contacts`. */
  bad: z.array(z.object({ line: z.number(), problem: z.string(), text: z.string() })),
  decisions: z.array(z.object({ question: z.string(), company_id: z.string().nullable() })),
});
export type PreparedList = z.infer<typeof PreparedList>;

/** A list of companies or people. */
export interface List<Field extends string> extends Omit<Rows<Field, string>, 'bad'>, PreparedList {}

/**
 * Reads a CSV file whose first line names the columns. Ignores empty cells. Equal rows give one question.
 * @param name name of the file, for messages
 * @param keepsPeople whether the configuration keeps personal data
 * @returns the list, without decisions
 * @throws TidemarkError `InvalidInput` when the file is empty or not UTF-8 text, or its header names no usable column
 */
export function readList<Field extends string>(
  file: Buffer,
  name: string,
  kind: ListKind<Field>,
  keepsPeople: boolean,
): List<Field> {
  const { bad, ...list } = readRows(file, name, {
    ...kind,
    meaningOf(fields) {
      const question = keepsPeople ? fields : kind.withoutPersonalData(fields);
      const problem = kind.problemOf(question);
      return problem === null ? { value: canonicalJson(question) } : { problem };
    },
  });
  const questions = new Map<string, string>();
  for (const { value: question } of list.rows) {
    // Questions that differ only in upper and lower case have the same meaning. Send only the first of them.
    const folded = question?.toLowerCase();
    if (question !== null && folded !== undefined && !questions.has(folded)) questions.set(folded, question);
  }
  const shown = bad.map(({ line, problem, text }) => ({ line, problem, text: keepsPeople ? text : '' }));
  return { ...list, bad: shown, questions: [...questions.values()], decisions: [] };
}

/** Writes a list for the workers, as JSON. */
export function writePrepared({ questions, bad, decisions }: PreparedList): string {
  return `${JSON.stringify({ questions, bad, decisions } satisfies PreparedList)}\n`;
}

/**
 * Reads the list of a run: a file that `writePrepared` wrote, or a CSV file that a person put into the data folder.
 * Removes personal data again, because the configuration of the worker decides what may be kept.
 * @throws TidemarkError `InvalidInput` when the file is not a readable list
 */
export function readPrepared<Field extends string>(
  file: Buffer,
  name: string,
  kind: ListKind<Field>,
  keepsPeople: boolean,
): PreparedList {
  if (!name.endsWith('.json')) return readList(file, name, kind, keepsPeople);
  const list = parsePrepared(file.toString(), name);
  if (keepsPeople) return list;
  const questions = list.questions.flatMap((question) => {
    const reduced = kind.withoutPersonalData(JSON.parse(question) as Fields<Field>);
    return kind.problemOf(reduced) === null ? [canonicalJson(reduced)] : [];
  });
  return { ...list, questions: [...new Set(questions)], bad: list.bad.map((row) => ({ ...row, text: '' })) };
}

function parsePrepared(text: string, name: string): PreparedList {
  try {
    return PreparedList.parse(JSON.parse(text));
  } catch (error) {
    const todo = 'Run `tidemark resolve FILE.csv` again.';
    throw invalidInput(`${name} is not a list that Tidemark prepared.`, todo, error);
  }
}

/**
 * Reads the file with a run's list.
 * @param todo sentence that says how to make the file
 * @throws TidemarkError `InvalidInput` when the file is missing
 */
export async function takeList(data: Data, ctx: RunContext, file: string, todo: string): Promise<Buffer> {
  if (ctx.file !== undefined && (await data.refresh(file))) return readFileSync(file);
  throw wrongInput(
    `the list ${file} does not exist`,
    `${todo} A worker on another machine needs the same data folder.`,
  );
}

/** Removes spaces at both ends, and joins words with single spaces. */
export function normalizeText(value: string): string {
  return value.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}
