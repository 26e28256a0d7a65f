import type { Dictionary, TableEntry } from '../../../schemas/explorer/api.js';

/** The schemas of the published file, in the order of the dictionary, with what their tables hold. */
export const SCHEMAS: Readonly<Record<string, string>> = {
  marts: 'tables for common questions',
  core: 'records and their history',
  ops: 'runs, requests, coverage and rejects',
  meta: 'origin of the published file',
};

/** A table that matches a search, with the columns that match. */
export interface DictionaryHit {
  entry: TableEntry;
  columns: TableEntry['columns'];
}

/**
 * Finds tables and columns. Each word must occur in the name or comment of the table or of the column. Without a word,
 * returns all tables without columns.
 */
export function searchDictionary({ tables }: Dictionary, text: string): DictionaryHit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tables.map((entry) => ({ entry, columns: [] }));
  const matches = (content: string): boolean => words.every((word) => content.toLowerCase().includes(word));
  return tables.flatMap((entry) => {
    const own = `${entry.table} ${entry.description ?? ''} ${entry.grain ?? ''} ${entry.owner ?? ''} ${entry.tags.join(' ')}`;
    const columns = entry.columns.filter(({ name, comment }) => matches(`${entry.table}.${name} ${comment ?? ''}`));
    return matches(own) || columns.length > 0 ? [{ entry, columns }] : [];
  });
}

/** Returns the address of the page of a table, or of one of its columns. */
export function tableAddress(table: string, options: { column?: string; tab?: string } = {}): string {
  const params = new URLSearchParams();
  if (options.tab !== undefined) params.set('tab', options.tab);
  if (options.column !== undefined) params.set('column', options.column);
  const query = params.toString();
  return `/tables/${encodeURIComponent(table)}${query === '' ? '' : `?${query}`}`;
}

/** Splits `schema.table.column` into table and column. */
export function splitColumn(name: string): { table: string; column: string } {
  const [schema = '', table = '', ...column] = name.split('.');
  return { table: `${schema}.${table}`, column: column.join('.') };
}
