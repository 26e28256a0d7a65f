import type { PlainValue } from '../../duckdb/plain-value.js';
import { writeFileAtomic } from '../../core/files.js';
import { useOrdinaryMode } from '../../core/file-modes.js';
import { csvValue } from '../published/write-rows.js';

/** A row of a result file. */
export interface FileRow {
  /** Cells of the user's list, written unchanged. */
  own: readonly string[];
  /** Values from the API, guarded against formulas. */
  added: readonly PlainValue[];
}

/** Writes a CSV file that a spreadsheet opens like the user's list: the same delimiter, and UTF-8 with a byte order mark. */
export async function writeList(file: string, rows: readonly FileRow[], delimiter: string): Promise<void> {
  const lines = rows.map(({ own, added }) =>
    [...own.map((cell) => csvValue(cell, true)), ...added.map((value) => csvValue(value, false))].join(delimiter),
  );
  await writeFileAtomic(file, `\ufeff${lines.join('\r\n')}\r\n`);
  useOrdinaryMode(file);
}
