import { isUtf8 } from 'node:buffer';
import { canonicalJson } from '../planner/request-key.js';
import { readHeader, wrongList, type ColumnNames, type Header } from './columns.js';
import { readCsv, type CsvFault, type CsvRecord, type Refusal } from './read-csv.js';

/** A kind of list: what its columns mean and which rows are usable. */
export interface ListKind<Field extends string> extends ColumnNames<Field> {
  normalize: Record<Field, (value: string) => string>;
  /** Returns why a row gives no question; null when it does. */
  problemOf: (question: Partial<Record<Field, string>>) => string | null;
  /** Removes what must not be kept without `personalData: contacts`. Equal questions give equal results. */
  withoutPersonalData: (question: Partial<Record<Field, string>>) => Partial<Record<Field, string>>;
}

/** A row below the header. */
export interface ListRow {
  line: number;
  cells: string[];
  /** The question as canonical JSON; null for a row that cannot be used. */
  question: string | null;
  /** Why the row cannot be used. */
  problem: string | null;
}

/** A list of companies or people. */
export interface List<Field extends string> {
  header: Header<Field>;
  delimiter: string;
  /** Rows in the order of the file, unusable ones included. */
  rows: ListRow[];
  /** Rows that are unreadable or identify nothing. */
  bad: CsvFault[];
  /** Distinct questions as canonical JSON, in the order of the file. */
  questions: string[];
}

const LONGEST = 500;

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
  requireText(file, name);
  const rows: ListRow[] = [];
  const bad: CsvFault[] = [];
  let delimiter = ',';
  let header: Header<Field> | null = null;
  readCsv(file, {
    delimiter: (used) => {
      delimiter = used;
    },
    record(record) {
      if (header === null) {
        header = readHeader(record, name, kind);
        return null;
      }
      const read = questionOf(record, header, kind);
      const question = keepsPeople ? read : kind.withoutPersonalData(read);
      const refusal = refusalOf(record, header, kind, question);
      if (refusal === null) rows.push({ ...record, question: canonicalJson(question), problem: null });
      return refusal;
    },
    fault(fault) {
      if (header === null) {
        throw wrongList(
          `Line ${fault.line} of ${name}, which names the columns, cannot be read: ${fault.problem}.`,
          'Correct that line.',
        );
      }
      const { line, problem, cells, text } = fault;
      rows.push({ line, cells: cells ?? [text], question: null, problem });
      bad.push({ line, problem, text });
    },
  });
  if (header === null)
    throw wrongList(`${name} is empty.`, `Its first line must name the columns, and each further line ${kind.what}.`);
  const questions = new Map<string, string>();
  for (const { question } of rows) {
    // Case never changes the meaning. The first writing is asked.
    const folded = question?.toLowerCase();
    if (question !== null && folded !== undefined && !questions.has(folded)) questions.set(folded, question);
  }
  return { header, delimiter, rows, bad, questions: [...questions.values()] };
}

function questionOf<Field extends string>(
  { cells }: CsvRecord,
  { columns }: Header<Field>,
  { normalize }: ListKind<Field>,
): Partial<Record<Field, string>> {
  const question: Partial<Record<Field, string>> = {};
  columns.forEach((field, i) => {
    const value = field === undefined ? '' : normalize[field](cells[i] ?? '');
    if (field !== undefined && value !== '') question[field] ??= value;
  });
  return question;
}

function refusalOf<Field extends string>(
  { cells }: CsvRecord,
  { columns }: Header<Field>,
  kind: ListKind<Field>,
  question: Partial<Record<Field, string>>,
): Refusal | null {
  const torn = (problem: string): Refusal => ({ problem, torn: true });
  if (cells.length > columns.length) return torn(`it has ${cells.length} fields, but the header has ${columns.length}`);
  if (cells.some((cell) => cell.length > LONGEST)) return torn(`a field is longer than ${LONGEST} characters`);
  // A line break is common in an address, but rare in a number or name. If a delimiter follows the line break, the rest
  // is probably the next row.
  if (cells.some((cell, i) => columns[i] !== undefined && /[\r\n].*[,;\t|]/.test(cell)))
    return torn('a quoted field continues on the next line, so a closing quote may be missing');
  const problem = kind.problemOf(question);
  return problem === null ? null : { problem, torn: false };
}

/**
 * Rejects a file that is not text.
 * @throws TidemarkError `InvalidInput` with the actual type of the file, if its bytes show the type
 */
export function requireText(file: Buffer, name: string): void {
  const starts = (...bytes: number[]): boolean => bytes.every((byte, i) => file[i] === byte);
  const wrong = (what: string) =>
    wrongList(
      `${name} is not UTF-8 text: ${what}.`,
      'Save it as "CSV UTF-8" in the spreadsheet, or convert it to UTF-8.',
    );
  if (starts(0x50, 0x4b, 3, 4)) throw wrong('it is a workbook or another ZIP file');
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) throw wrong('it begins like UTF-16');
  if (file.includes(0)) throw wrong('it holds zero bytes, as UTF-16 and binary files do');
  if (isUtf8(file)) return;
  throw wrong(`line ${lineOfFault(file)} has bytes of another encoding, such as Latin-1`);
}

function lineOfFault(file: Buffer): number {
  let line = 1;
  for (let at = 0; at < file.length; line++) {
    const end = file.indexOf('\n', at);
    const next = end === -1 ? file.length : end + 1;
    if (!isUtf8(file.subarray(at, next))) return line;
    at = next;
  }
  return line;
}
