import { invalidInput } from '../errors.js';
import type { CsvRecord } from './read-csv.js';

/** The header of a list. `columns` has the meaning of each column. */
export interface Header<Field extends string> {
  cells: string[];
  columns: (Field | undefined)[];
  /** Columns whose meaning is unknown. */
  ignored: string[];
  /** Groups of columns with the same meaning. In each row, only the first filled column of a group is used. */
  alike: string[][];
}

/** One meaning that a column of a list may have. */
export interface ListField {
  /** Column names that people use, separated by spaces. Case, spaces and punctuation of a header make no difference. */
  names: string;
  /** Names that give a column this meaning only if no other column already has it. */
  lastNames?: string;
  /** True if the field identifies a company, person or payee. The header must name at least one such field. */
  identifies?: boolean;
  /** Normalizes a cell. Returns '' for a cell without content. Default: removes spaces at both ends. */
  normalize?: (cell: string) => string;
}

/** The meanings that columns of one kind of list may have. */
export interface ListColumns<Field extends string> {
  fields: Readonly<Record<Field, ListField>>;
  /** What a row describes, for messages: `a company`. */
  what: string;
  /** Sentence that says what the user can do when no column identifies a row. */
  remedy: string;
}

/**
 * Guesses the meaning of each column from its name.
 * @param name name of the file, for messages
 * @throws TidemarkError `InvalidInput` when no column identifies an entity, or two columns have the same name
 */
export function readHeader<Field extends string>(
  { line, cells }: CsvRecord,
  name: string,
  { fields, what, remedy }: ListColumns<Field>,
): Header<Field> {
  const known = Object.keys(fields) as Field[];
  const named = cells.map((cell) => known.find((field) => isAmong(fields[field].names, cell)));
  const isLast = (field: Field, cell: string): boolean =>
    !named.includes(field) && isAmong(fields[field].lastNames ?? '', cell);
  const columns = cells.map((cell, i) => named[i] ?? known.find((field) => isLast(field, cell)));
  if (!columns.some((field) => field !== undefined && fields[field].identifies)) {
    throw invalidInput(`The first line of ${name} names no column that identifies ${what}.`, remedy);
  }
  const twice = cells.find(
    (cell, i) => columns[i] !== undefined && cells.findIndex((one) => plainName(one) === plainName(cell)) < i,
  );
  if (twice !== undefined) {
    throw invalidInput(
      `Line ${line} of ${name} names the column "${twice}" twice.`,
      'Rename or remove one of the two.',
    );
  }
  const meaning = (field: Field): string[] => cells.filter((_, i) => columns[i] === field);
  return {
    cells,
    columns,
    ignored: cells.filter((_, i) => columns[i] === undefined),
    alike: known.map(meaning).filter((alike) => alike.length > 1),
  };
}

function isAmong(names: string, cell: string): boolean {
  return names.split(' ').includes(plainName(cell)) && plainName(cell) !== '';
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
