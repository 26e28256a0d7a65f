import { renderCell } from '../terminal/table.js';
import type { PlainValue } from '../../warehouse/duckdb/plain-value.js';
import type { Rows, Sink } from '../../warehouse/duckdb/write-rows.js';

/** Writes rows as a Markdown table (GitHub Flavored Markdown). Columns of numbers are aligned to the right. */
export async function writeMarkdown({ columns, batches }: Rows, sink: Sink): Promise<void> {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  let isFirst = true;
  const head = (row: readonly PlainValue[]): string =>
    line(columns.map(escapeCell)) + line(columns.map((_, i) => (typeof row[i] === 'number' ? '--:' : '---')));
  for await (const batch of batches) {
    if (isFirst && batch[0] !== undefined) await sink(head(batch[0]));
    isFirst = false;
    await sink(batch.map((row) => line(row.map((value) => escapeCell(plainCell(value))))).join(''));
  }
  if (isFirst) await sink(head([]));
}

function plainCell(value: PlainValue): string {
  // Write numbers without separators, so that a program can read them.
  return typeof value === 'number' ? String(value) : renderCell(value);
}

function escapeCell(text: string): string {
  return text.replaceAll(/[\\|<>*_`[\]]/g, String.raw`\$&`);
}
