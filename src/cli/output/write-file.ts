import { open } from 'node:fs/promises';
import { renderTable } from '../terminal/table.js';
import type { Published } from '../../warehouse/builds/published.js';
import { writeMarkdown } from './write-markdown.js';
import type { Format } from './formats.js';
import { writeCsv, writeJson, type RowWriter } from '../../warehouse/duckdb/write-rows.js';

/**
 * Returns the function that writes rows as text in a format.
 * @throws RangeError for a format that is no text
 */
export function rowWriter(format: Format, { exact = false }: { exact?: boolean } = {}): RowWriter {
  if (format === 'csv') return (rows, sink) => writeCsv(rows, sink, { exact });
  if (format === 'json') return writeJson;
  if (format === 'markdown') return writeMarkdown;
  throw new RangeError(`${format} is no text`);
}

/** Writes the rows of a query to a file as text or Arrow, and syncs the file to disk. */
export async function writeRowsTo(
  file: string,
  published: Published,
  query: string,
  format: Format,
  options: { exact?: boolean } = {},
): Promise<void> {
  const handle = await open(file, 'w');
  try {
    if (format === 'table') {
      await handle.write(`${renderTable(await published.query(query), { maxCell: Infinity })}\n`);
    } else if (format === 'arrow') {
      const { writeArrow } = await import('../../warehouse/duckdb/arrow.js');
      await writeArrow(await published.stream(query), 'file', (bytes) => handle.appendFile(bytes));
    } else {
      await rowWriter(format, options)(await published.stream(query), (text) => handle.appendFile(text));
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
