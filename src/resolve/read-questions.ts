import type { CompanyQuestion } from '../../schemas/pipeline/resolve.js';
import { canonicalJson } from '../planner/request-key.js';
import { parseCsv, type CsvRecord } from './parse-csv.js';

/** A row that asks for nothing, or cannot be read. */
export interface BadRow {
  line: number;
  problem: string;
  /** The row as it stands. */
  cells: string[];
}

export interface Questions {
  /** Canonical JSON of each distinct question (`questionKey`), in the order of the file. */
  questions: string[];
  /** Rows of the file below its header. */
  rows: number;
  bad: BadRow[];
  /** Columns of the file that say nothing about a company. */
  ignored: string[];
}

type Field = keyof CompanyQuestion;

/** What people call the columns; compared without case, spaces and signs. */
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

/** The questions of a CSV file: its first line names the columns. Empty cells say nothing; equal rows are one question. */
export function readQuestions(text: string): Questions {
  const [header, ...records] = parseCsv(text);
  const columns = (header?.cells ?? []).map(fieldNamed);
  const ignored = (header?.cells ?? []).filter((_, i) => columns[i] === undefined);
  const questions = new Set<string>();
  const bad: BadRow[] = [];
  for (const record of records) {
    const question = questionOf(record, columns);
    const problem = problemOf(record, columns, question);
    if (problem === null) questions.add(questionKey(question));
    else bad.push({ line: record.line, problem, cells: record.cells });
  }
  return { questions: [...questions], rows: records.length, bad, ignored };
}

/** A question as text: the same for the same question, whatever the order of its columns. */
export function questionKey(question: CompanyQuestion): string {
  return canonicalJson(question);
}

/** Whether a file names at least one column that identifies a company. */
export function identifies(text: string): boolean {
  const [header] = parseCsv(text.slice(0, 100_000));
  return (header?.cells ?? []).some((name) => IDENTIFYING.includes(fieldNamed(name) as Field));
}

function fieldNamed(name: string): Field | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return (Object.keys(NAMES) as Field[]).find((field) => NAMES[field].includes(plain));
}

function questionOf({ cells }: CsvRecord, columns: readonly (Field | undefined)[]): CompanyQuestion {
  const question: CompanyQuestion = {};
  columns.forEach((field, i) => {
    const value = cells[i]?.trim() ?? '';
    if (field !== undefined && value !== '') question[field] ??= field === 'country_code' ? value.toUpperCase() : value;
  });
  return question;
}

function problemOf({ cells }: CsvRecord, columns: readonly unknown[], question: CompanyQuestion): string | null {
  if (cells.length > columns.length) return `it has ${cells.length} fields, the header ${columns.length}`;
  if (cells.some((cell) => cell.length > LONGEST)) return `a field is longer than ${LONGEST} characters`;
  if (!IDENTIFYING.some((field) => question[field] !== undefined))
    return 'nothing in it identifies a company (name, registration number, VAT number, ticker, website, e-mail or profile)';
  if (question.country_code !== undefined && !/^[A-Z]{2}$/.test(question.country_code))
    return `its country is no two-letter code: ${question.country_code}`;
  return null;
}
