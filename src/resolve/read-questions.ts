import { isUtf8 } from 'node:buffer';
import type { CompanyQuestion } from '../../schemas/pipeline/resolve.js';
import { TidemarkError } from '../core/errors.js';
import { canonicalJson } from '../planner/request-key.js';
import { readCsv, type CsvFault, type CsvRecord, type Refusal } from './read-csv.js';

/** The questions in a CSV file for `tidemark resolve`. */
export interface Questions {
  /** Distinct questions as canonical JSON (`questionKey`), in the order of the file. */
  questions: string[];
  /** Number of rows below the header. */
  rows: number;
  /** Rows that are unreadable or identify no company. */
  bad: CsvFault[];
  /** Columns without a known meaning. */
  ignored: string[];
  /** Groups of columns with the same meaning. In each row, only the first filled column of a group is used. */
  alike: string[][];
}

type Field = keyof CompanyQuestion;

/** Column names that people use. Case, spaces and punctuation make no difference. */
const NAMES: Record<Field, string[]> = {
  name: ['name', 'company', 'companyname', 'legalname'],
  country_code: ['countrycode', 'country', 'iso', 'iso2'],
  state: ['state', 'region'],
  registration_number: ['registrationnumber', 'registrationno', 'regno', 'regnumber', 'companynumber', 'registration'],
  vat_number: ['vatnumber', 'vatno', 'vat', 'vatid'],
  ticker: ['ticker', 'symbol'],
  website: ['website', 'url', 'domain', 'homepage', 'web'],
  email: ['email', 'mail', 'emailaddress'],
  profile: ['profile', 'pronet', 'profileurl'],
};

const IDENTIFYING: readonly Field[] = [
  'name',
  'registration_number',
  'vat_number',
  'ticker',
  'website',
  'email',
  'profile',
];
const LONGEST = 500;

/**
 * Reads the questions of a CSV file. The first line names the columns. Ignores empty cells. Equal rows give one
 * question.
 * @param name name of the file, for messages
 * @throws TidemarkError `InvalidInput` when the file is empty or not UTF-8 text, or its header names no usable column
 */
export function readQuestions(file: Buffer, name: string): Questions {
  requireText(file, name);
  const found = { questions: new Set<string>(), rows: 0, bad: [] as CsvFault[] };
  let header: Header | null = null;
  readCsv(file, {
    record(record) {
      if (header === null) {
        header = readHeader(record, name);
        return null;
      }
      found.rows++;
      const question = questionOf(record, header.columns);
      const refusal = refusalOf(record, header.columns, question);
      if (refusal === null) found.questions.add(questionKey(question));
      return refusal;
    },
    fault(fault) {
      if (header === null) {
        throw wrongList(
          `Line ${fault.line} of ${name}, which names the columns, cannot be read: ${fault.problem}.`,
          'Correct that line.',
        );
      }
      found.bad.push(fault);
    },
  });
  if (header === null)
    throw wrongList(`${name} is empty.`, 'Its first line must name the columns, and each further line one company.');
  const { ignored, alike } = header as Header;
  return { ...found, questions: [...found.questions], ignored, alike };
}

/** Converts a question to a text. The order of the columns makes no difference. */
export function questionKey(question: CompanyQuestion): string {
  return canonicalJson(question);
}

/**
 * Rejects a file that is not text.
 * @throws TidemarkError `InvalidInput` with the actual type of the file, if its bytes show the type
 */
export function requireText(file: Buffer, name: string): void {
  const starts = (...bytes: number[]): boolean => bytes.every((byte, i) => file[i] === byte);
  const wrong = (what: string): TidemarkError =>
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

interface Header {
  columns: (Field | undefined)[];
  ignored: string[];
  alike: string[][];
}

function readHeader({ line, cells }: CsvRecord, name: string): Header {
  const columns = cells.map(fieldNamed);
  if (!columns.some((field) => field !== undefined && IDENTIFYING.includes(field))) {
    throw wrongList(
      `${name} names no column that identifies a company in its first line.`,
      'Name at least one of: name, registration_number, vat_number, ticker, website, email, profile; country_code helps.',
    );
  }
  const twice = cells.find(
    (cell, i) => columns[i] !== undefined && cells.findIndex((one) => plainName(one) === plainName(cell)) < i,
  );
  if (twice !== undefined) {
    throw wrongList(`Line ${line} of ${name} names the column "${twice}" twice.`, 'Rename or remove one of the two.');
  }
  const meaning = (field: Field): string[] => cells.filter((_, i) => columns[i] === field);
  return {
    columns,
    ignored: cells.filter((_, i) => columns[i] === undefined),
    alike: (Object.keys(NAMES) as Field[]).map(meaning).filter((names) => names.length > 1),
  };
}

function fieldNamed(name: string): Field | undefined {
  return (Object.keys(NAMES) as Field[]).find((field) => NAMES[field].includes(plainName(name)));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function questionOf({ cells }: CsvRecord, columns: readonly (Field | undefined)[]): CompanyQuestion {
  const question: CompanyQuestion = {};
  columns.forEach((field, i) => {
    const value = cells[i]?.trim() ?? '';
    if (field !== undefined && value !== '') question[field] ??= field === 'country_code' ? value.toUpperCase() : value;
  });
  return question;
}

/** Returns why a row is rejected; null when it is a valid question. */
function refusalOf(
  { cells }: CsvRecord,
  columns: readonly (Field | undefined)[],
  question: CompanyQuestion,
): Refusal | null {
  const torn = (problem: string): Refusal => ({ problem, torn: true });
  const wrong = (problem: string): Refusal => ({ problem, torn: false });
  if (cells.length > columns.length) return torn(`it has ${cells.length} fields, but the header has ${columns.length}`);
  if (cells.some((cell) => cell.length > LONGEST)) return torn(`a field is longer than ${LONGEST} characters`);
  // A line break is common in an address, but rare in a number or name. If a delimiter follows the line break, the rest
  // is probably the next row.
  if (cells.some((cell, i) => columns[i] !== undefined && /[\r\n].*[,;\t|]/.test(cell)))
    return torn('a quoted field continues on the next line, so a closing quote may be missing');
  if (!IDENTIFYING.some((field) => question[field] !== undefined))
    return wrong(
      'it has no value that identifies a company (name, registration number, VAT number, ticker, website, e-mail or profile)',
    );
  if (question.country_code !== undefined && !/^[A-Z]{2}$/.test(question.country_code))
    return wrong(`its country is not a two-letter code: ${question.country_code}`);
  return null;
}

function wrongList(what: string, todo: string): TidemarkError {
  return new TidemarkError('InvalidInput', what, { todo });
}
