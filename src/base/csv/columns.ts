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

/** The meanings that columns of one kind of list may have. */
export interface ColumnNames<Field extends string> {
  /** Column names that people use. Case, spaces and punctuation make no difference. */
  names: Record<Field, readonly string[]>;
  /** Names that give a column a meaning only if no other column already has this meaning. */
  lastNames?: Partial<Record<Field, readonly string[]>>;
  /** Fields that identify a company, person or payee. The header must name at least one of them. */
  identifying: readonly Field[];
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
  { names, lastNames = {}, identifying, what, remedy }: ColumnNames<Field>,
): Header<Field> {
  const fields = Object.keys(names) as Field[];
  const named = cells.map((cell) => fields.find((field) => names[field].includes(plainName(cell))));
  const isLast = (field: Field, cell: string): boolean =>
    !named.includes(field) && (lastNames[field]?.includes(plainName(cell)) ?? false);
  const columns = cells.map((cell, i) => named[i] ?? fields.find((field) => isLast(field, cell)));
  if (!columns.some((field) => field !== undefined && identifying.includes(field))) {
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
    alike: fields.map(meaning).filter((alike) => alike.length > 1),
  };
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
