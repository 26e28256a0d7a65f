import type { Command } from 'commander';
import { loadContext, type CliContext } from './context.js';
import { say, sayJson } from './terminal/print.js';
import type { Published } from '../warehouse/builds/published.js';
import { sayTable } from './terminal/say-table.js';

/** Opens the published warehouse to which the configuration refers, runs `work` and closes the warehouse. */
export async function withPublished(
  command: Command,
  work: (published: Published, context: CliContext) => Promise<void>,
): Promise<void> {
  const context = await loadContext(command);
  const { openPublished } = await import('../warehouse/builds/published.js');
  const published = await openPublished(context.config.dataDir);
  try {
    await work(published, context);
  } finally {
    published.close();
  }
}

/**
 * Prints the rows of a query as a table or as JSON. If there are no rows, prints the text `empty` instead of a table.
 */
export async function printQuery(
  published: Published,
  sql: string,
  options: { json: boolean; empty: string; params?: Record<string, string | number | null> },
): Promise<void> {
  printRows(await published.query(sql, options.params ? { params: options.params } : {}), options);
}

/** Prints rows as `printQuery` does. */
export function printRows(
  { columns, rows }: Pick<Awaited<ReturnType<Published['query']>>, 'columns' | 'rows'>,
  options: { json: boolean; empty: string },
): void {
  if (options.json) sayJson(rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))));
  else if (rows.length === 0) say(options.empty);
  else sayTable({ columns, rows });
}
