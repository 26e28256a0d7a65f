import { TidemarkError } from '../core/errors.js';
import type { CsvRecord } from './read-csv.js';

/** The header of a list: what each column means. */
export interface Header<Field extends string> {
  cells: string[];
  columns: (Field | undefined)[];
  /** Columns without a known meaning. */
  ignored: string[];
  /** Groups of columns with the same meaning. In each row, only the first filled column of a group is used. */
  alike: string[][];
}

/** What the columns of a kind of list may mean. */
export interface ColumnNames<Field extends string> {
  /** Column names that people use. Case, spaces and punctuation make no difference. */
  names: Record<Field, readonly string[]>;
  /** Fields of which the header must name at least one. */
  identifying: readonly Field[];
  /** What the identifying columns identify: `a company`. */
  what: string;
}

/**
 * Guesses the meaning of each column from its name.
 * @param name name of the file, for messages
 * @throws TidemarkError `InvalidInput` when no column identifies anything, or a column is named twice
 */
export function readHeader<Field extends string>(
  { line, cells }: CsvRecord,
  name: string,
  { names, identifying, what }: ColumnNames<Field>,
): Header<Field> {
  const fields = Object.keys(names) as Field[];
  const columns = cells.map((cell) => fields.find((field) => names[field].includes(plainName(cell))));
  if (!columns.some((field) => field !== undefined && identifying.includes(field))) {
    throw wrongList(
      `The first line of ${name} names no column that identifies ${what}.`,
      `Add at least one of these columns: ${identifying.join(', ')}. A column country_code helps, too.`,
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
    cells,
    columns,
    ignored: cells.filter((_, i) => columns[i] === undefined),
    alike: fields.map(meaning).filter((alike) => alike.length > 1),
  };
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

export function wrongList(what: string, todo: string, cause?: unknown): TidemarkError {
  return new TidemarkError('InvalidInput', what, { todo, cause });
}
