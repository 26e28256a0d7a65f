import type { PlainValue } from '../../duckdb/plain-value.js';
import { writeFileAtomic } from '../../core/files.js';
import { useOrdinaryMode } from '../../core/file-modes.js';
import { csvValue } from '../published/write-rows.js';

/** A row of a result file. */
export interface FileRow {
  /** Cells of the user's list, written unchanged. */
  own: readonly string[];
  /** Values from the API. The file gets an apostrophe before a value that a spreadsheet would run as a formula. */
  added: readonly PlainValue[];
}

/** Writes a CSV file with the delimiter of the user's list, in UTF-8 with a byte order mark, as spreadsheets expect. */
export async function writeList(file: string, rows: readonly FileRow[], delimiter: string): Promise<void> {
  const lines = rows.map(({ own, added }) =>
    [...own.map((cell) => csvValue(cell, true)), ...added.map((value) => csvValue(value, false))].join(delimiter),
  );
  await writeFileAtomic(file, `\ufeff${lines.join('\r\n')}\r\n`);
  useOrdinaryMode(file);
}
