import type { MatchDecision } from '../../../../schemas/pipeline/resolve.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import { invalidInput } from '../../../base/errors.js';
import { readList, type ListKind } from './read-list.js';

/** A row of a list that cannot become a question. */
export interface BadRow {
  line: number;
  problem: string;
  /** The text of the row, at most 1,000 characters. '' unless `personalData` is `contacts`. */
  text: string;
}

/** The content of a list that a run needs. It contains only data that the configuration allows to keep. */
export interface PreparedList {
  /** Questions as canonical JSON. */
  questions: string[];
  bad: BadRow[];
  decisions: MatchDecision[];
}

/** Writes a list for the workers, with one JSON object per line. */
export function writePrepared({ questions, bad, decisions }: PreparedList): string {
  const lines = [
    ...questions.map((question) => ({ question })),
    ...bad.map(({ line, problem, text }) => ({ line, problem, text })),
    ...decisions.map((decision) => ({ decision })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
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
  const list = name.endsWith('.ndjson') ? parsePrepared(file, name) : prepare(file, name, kind, keepsPeople);
  if (keepsPeople) return list;
  const questions = list.questions.flatMap((question) => {
    const reduced = kind.withoutPersonalData(JSON.parse(question) as Partial<Record<Field, string>>);
    return kind.problemOf(reduced) === null ? [canonicalJson(reduced)] : [];
  });
  return { ...list, questions: [...new Set(questions)], bad: list.bad.map((row) => ({ ...row, text: '' })) };
}

/** Reads a CSV file and returns the list for the workers. */
export function prepare<Field extends string>(
  file: Buffer,
  name: string,
  kind: ListKind<Field>,
  keepsPeople: boolean,
): PreparedList {
  const { questions, bad } = readList(file, name, kind, keepsPeople);
  return { questions, bad: bad.map((row) => ({ ...row, text: keepsPeople ? row.text : '' })), decisions: [] };
}

function parsePrepared(file: Buffer, name: string): PreparedList {
  const list: PreparedList = { questions: [], bad: [], decisions: [] };
  try {
    for (const line of file.toString('utf8').split('\n')) {
      if (line === '') continue;
      const one = JSON.parse(line) as { question?: string; decision?: MatchDecision } & BadRow;
      if (one.question !== undefined) list.questions.push(one.question);
      else if (one.decision !== undefined) list.decisions.push(one.decision);
      else list.bad.push(one);
    }
  } catch (error) {
    throw invalidInput(
      `${name} is not a list that Tidemark prepared.`,
      'Run `tidemark resolve FILE.csv` again.',
      error,
    );
  }
  return list;
}
