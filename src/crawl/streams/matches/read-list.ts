import type { ColumnNames } from '../../../base/csv/columns.js';
import { readRows, type Fields, type Rows } from '../../../base/csv/read-rows.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';

/** A kind of list. Says what the columns mean and which rows are usable. */
export interface ListKind<Field extends string> extends ColumnNames<Field> {
  normalize: Record<Field, (value: string) => string>;
  /** Returns why a row cannot become a question; null when it can. */
  problemOf: (question: Fields<Field>) => string | null;
  /** Removes the values that may be kept only with `personalData: contacts`. Equal questions give equal results. */
  withoutPersonalData: (question: Fields<Field>) => Fields<Field>;
}

/** A list of companies or people. */
export interface List<Field extends string> extends Rows<Field, string> {
  /** Questions as canonical JSON, without duplicates, in the order of the file. */
  questions: string[];
}

/**
 * Reads a CSV file whose first line names the columns. Ignores empty cells. Equal rows give one question.
 * @param name name of the file, for messages
 * @param keepsPeople whether the configuration keeps personal data
 * @throws TidemarkError `InvalidInput` when the file is empty or not UTF-8 text, or its header names no usable column
 */
export function readList<Field extends string>(
  file: Buffer,
  name: string,
  kind: ListKind<Field>,
  keepsPeople: boolean,
): List<Field> {
  const list = readRows(file, name, {
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
  return { ...list, questions: [...questions.values()] };
}
