import path from 'node:path';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { useOrdinaryMode } from '../../store/file-modes.js';
import { writeFileAtomic } from '../../store/files.js';
import type { PlainValue } from '../../warehouse/duckdb/plain-value.js';
import type { Header } from '../../base/csv/columns.js';
import { csvValue } from '../../warehouse/duckdb/write-rows.js';

/** A row of a result file. */
export interface FileRow {
  /** Cells of the user's list, written unchanged. */
  own: readonly string[];
  /** Values from the API. The file gets an apostrophe before a value that a spreadsheet would run as a formula. */
  added: readonly PlainValue[];
}

/** Name of a result file: `suppliers.csv` gives `suppliers.matched.csv`. */
export function resultFile(file: string, what: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}${/^\.(csv|txt|tsv)$/i.test(ext) ? '' : ext}.${what}.csv`);
}

/**
 * Makes the rows of a result file: the user's columns and rows, each row with added values.
 * @param names names of the added columns. If the list has such a column, the added name begins with `tidemark_`
 * @param replaces whether the list may be an earlier result file. If true, leaves out the columns that were added then
 */
export function addColumns<Row extends { cells: readonly string[] }>(
  { header, rows }: { header: Pick<Header<string>, 'cells'>; rows: readonly Row[] },
  names: readonly string[],
  valuesOf: (row: Row) => readonly PlainValue[],
  { replaces = false } = {},
): FileRow[] {
  const kept = header.cells.flatMap((name, i) => (replaces && names.includes(name) ? [] : [i]));
  const own = (cells: readonly string[]): string[] => kept.map((i) => cells[i] ?? '');
  const taken = new Set(own(header.cells).map((name) => name.toLowerCase()));
  return [
    { own: own(header.cells), added: names.map((name) => (taken.has(name) ? `tidemark_${name}` : name)) },
    ...rows.map((row) => ({ own: own(row.cells), added: valuesOf(row) })),
  ];
}

/**
 * Writes a CSV file with the delimiter of the user's list, in UTF-8 with a byte order mark, as spreadsheets expect.
 * @param isPrivate only the owner may read the file
 * @throws TidemarkError when the file cannot be written
 */
export async function writeList(
  file: string,
  rows: readonly FileRow[],
  delimiter: string,
  { isPrivate = false } = {},
): Promise<void> {
  const lines = rows.map(({ own, added }) =>
    [...own.map((cell) => csvValue(cell || null, true)), ...added.map((value) => csvValue(value, false))].join(
      delimiter,
    ),
  );
  try {
    await writeFileAtomic(file, `\ufeff${lines.join('\r\n')}\r\n`);
    if (!isPrivate) useOrdinaryMode(file);
  } catch (error) {
    throw new TidemarkError('Internal', `Cannot write ${file}: ${errorMessage(error)}`, {
      todo: 'Correct the permissions of its folder and run the command again. It does not repeat requests.',
      cause: error,
    });
  }
}
