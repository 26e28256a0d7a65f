import { open } from 'node:fs/promises';
import { renderTable } from '../../terminal/table.js';
import type { Published } from '../../builds/published.js';
import { writeCsv, writeJson } from './write-rows.js';

/** Writes the rows of a query to a file as table, CSV or JSON, and syncs the file to disk. */
export async function writeRowsTo(
  file: string,
  published: Published,
  query: string,
  format: 'table' | 'csv' | 'json',
  options: { exact?: boolean } = {},
): Promise<void> {
  const handle = await open(file, 'w');
  try {
    if (format === 'table') {
      await handle.write(`${renderTable(await published.query(query), { maxCell: Infinity })}\n`);
    } else {
      const sink = async (text: string): Promise<void> => void (await handle.write(text));
      const rows = await published.stream(query);
      await (format === 'csv' ? writeCsv(rows, sink, options) : writeJson(rows, sink));
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
