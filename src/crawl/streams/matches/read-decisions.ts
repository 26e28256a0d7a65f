import type { MatchDecision } from '../../../../schemas/pipeline/resolve.js';
import { invalidInput } from '../../../base/errors.js';
import { readCsv, type CsvRecord } from '../../../base/csv/read-csv.js';

const YES = /^(yes|y|x|ok|true|ja|oui|si)$/i;
const NO = /^(no|n|none|false|nein|non)$/i;

/** A row of the file. `id` is that of the candidate. */
interface Row {
  line: number;
  question: string;
  id: string;
  decision: string;
}

/**
 * Reads decisions that people wrote into `FILE.ambiguous.csv`. Rows without a decision stay undecided. The column
 * `decision` may contain:
 * - yes, y or x: this candidate is the company.
 * - no or none: this candidate is not the company. If every candidate of a question has this decision, the answer is
 *   "none of them".
 * - a number: the id of the company. It need not be one of the candidates.
 *
 * @param name name of the file, for messages
 * @throws TidemarkError `InvalidInput` when a column is missing, a decision is unknown, or a question has two answers
 */
export function readDecisions(file: Buffer, name: string): MatchDecision[] {
  const byQuestion = new Map<string, Row[]>();
  let columns: string[] | null = null;
  readCsv(file, {
    record(record) {
      if (columns === null) {
        columns = requireColumns(record.cells, name);
        return null;
      }
      const row = readRow(record, columns, name);
      byQuestion.set(row.question, [...(byQuestion.get(row.question) ?? []), row]);
      return null;
    },
    fault({ line, problem }) {
      throw invalidInput(`Line ${line} of ${name} cannot be read: ${problem}.`, 'Correct that line.');
    },
  });
  return [...byQuestion].flatMap(([question, own]): MatchDecision[] => {
    const picked = own.filter(({ decision }) => YES.test(decision) || isId(decision));
    const ids = new Set(picked.map(({ decision, id }) => (YES.test(decision) ? id : decision)));
    if (ids.size > 1) {
      const lines = picked.map(({ line }) => line).join(' and ');
      throw invalidInput(
        `Lines ${lines} of ${name} choose two companies for one question.`,
        'Keep one of the decisions.',
      );
    }
    const [company_id] = ids;
    if (company_id !== undefined) return [{ question, company_id }];
    return own.every(({ decision }) => NO.test(decision)) ? [{ question, company_id: null }] : [];
  });
}

function requireColumns(cells: string[], name: string): string[] {
  const missing = ['question', 'candidate_id', 'decision'].find((column) => !cells.includes(column));
  if (missing === undefined) return cells;
  throw invalidInput(
    `${name} has no column "${missing}".`,
    'Use the file FILE.ambiguous.csv that `tidemark resolve` wrote, and fill its column "decision".',
  );
}

function readRow({ line, cells }: CsvRecord, columns: readonly string[], name: string): Row {
  const cell = (column: string): string => cells[columns.indexOf(column)]?.trim() ?? '';
  const [question, id, decision] = [cell('question'), cell('candidate_id'), cell('decision')];
  if (!isQuestion(question))
    throw invalidInput(`Line ${line} of ${name} has no valid question.`, 'Do not change the column "question".');
  if (decision !== '' && !YES.test(decision) && !NO.test(decision) && !isId(decision))
    throw invalidInput(
      `Line ${line} of ${name} has an unknown decision: ${decision}`,
      'Write yes, no or the id of a company.',
    );
  if (YES.test(decision) && !isId(id))
    throw invalidInput(
      `Line ${line} of ${name} has no valid candidate_id.`,
      'Do not change the column "candidate_id".',
    );
  return { line, question, id, decision };
}

function isId(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n;
}

function isQuestion(text: string): boolean {
  try {
    const question: unknown = JSON.parse(text);
    return typeof question === 'object' && question !== null && !Array.isArray(question);
  } catch {
    return false;
  }
}
