import { invalidInput } from '../errors.js';
import { readHeader, type Header, type ListColumns } from './columns.js';
import { readCsv, type CsvFault, type CsvRecord, type Refusal } from './read-csv.js';
import { requireText } from './require-text.js';

/** The normalized cells of a row that are not empty, by the meaning of their columns. */
export type Fields<Field extends string> = Partial<Record<Field, string>>;

/** What a row means: its value, or why the row cannot be used. */
export type RowMeaning<Value> = { value: Value } | { problem: string };

/** A kind of list: the meanings of columns and rows. */
export interface RowKind<Field extends string, Value> extends ListColumns<Field> {
  meaningOf: (fields: Fields<Field>) => RowMeaning<Value>;
}

/** A row of a list, without the header. Exactly one of `value` and `problem` is null. */
export interface Row<Value> {
  /** Line in the file, from 1. */
  line: number;
  /** The cells as in the file. If the line could not be split, this is one cell with the whole line. */
  cells: string[];
  value: Value | null;
  /** Why the row cannot be used. */
  problem: string | null;
}

/** The content of a list. */
export interface Rows<Field extends string, Value> {
  header: Header<Field>;
  delimiter: string;
  /** Rows in the order of the file, including unusable ones. */
  rows: Row<Value>[];
  /** Rows that cannot be read, or that have no value. */
  bad: CsvFault[];
}

/** Longest cell, in characters. */
const LONGEST = 500;

/**
 * Reads a CSV file whose first line names the columns. A row that cannot be used does not end the reading.
 * @param name name of the file, for messages
 * @throws TidemarkError `InvalidInput` when the file is empty or not UTF-8 text, or its header names no usable column
 */
export function readRows<Field extends string, Value>(
  file: Buffer,
  name: string,
  kind: RowKind<Field, Value>,
): Rows<Field, Value> {
  requireText(file, name);
  const rows: Row<Value>[] = [];
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
      const torn = tornBy(record, header);
      if (torn !== null) return torn;
      const meaning = kind.meaningOf(fieldsOf(record, header, kind));
      if ('problem' in meaning) return { problem: meaning.problem, torn: false };
      rows.push({ ...record, value: meaning.value, problem: null });
      return null;
    },
    fault(fault) {
      const { line, problem, cells, text } = fault;
      if (header === null) {
        throw invalidInput(
          `Line ${line} of ${name}, which names the columns, cannot be read: ${problem}.`,
          'Correct that line.',
        );
      }
      rows.push({ line, cells: cells ?? [text], value: null, problem });
      bad.push({ line, problem, text });
    },
  });
  if (header === null) {
    throw invalidInput(
      `${name} is empty.`,
      `Its first line must name the columns, and each further line ${kind.what}.`,
    );
  }
  return { header, delimiter, rows, bad };
}

function fieldsOf<Field extends string>(
  { cells }: CsvRecord,
  { columns }: Header<Field>,
  { fields }: ListColumns<Field>,
): Fields<Field> {
  const read: Fields<Field> = {};
  columns.forEach((field, i) => {
    if (field === undefined) return;
    const { normalize = (text: string) => text.trim() } = fields[field];
    const cell = normalize(cells[i] ?? '');
    if (cell !== '') read[field] ??= cell;
  });
  return read;
}

/** Returns a refusal if a missing quote may have joined this row with the next rows. */
function tornBy({ cells }: CsvRecord, { columns }: Header<string>): Refusal | null {
  const torn = (problem: string): Refusal => ({ problem, torn: true });
  if (cells.length > columns.length) return torn(`it has ${cells.length} fields, but the header has ${columns.length}`);
  if (cells.some((cell) => cell.length > LONGEST)) return torn(`a field is longer than ${LONGEST} characters`);
  // A line break is common in an address, but rare in a number or name. If a delimiter follows the line break, the
  // text after it is probably the next row.
  if (cells.some((cell, i) => columns[i] !== undefined && /[\r\n].*[,;\t|]/.test(cell)))
    return torn('a quoted field continues on the next line, so a closing quote may be missing');
  return null;
}
