import type { Catalog, CatalogTable } from './catalog.js';
import { COMMANDS, FORMATS } from './shell-commands.js';

const KEYWORDS =
  'SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT USING ON AS AND OR NOT NULL IS IN LIKE ILIKE BETWEEN CASE WHEN THEN ELSE END DISTINCT HAVING QUALIFY WITH UNION ALL DESC ASC NULLS LAST FIRST OVER PARTITION count sum median avg min max unnest list_contains'.split(
    ' ',
  );

/**
 * Returns the words that can follow in a shell, and the part of the line that they replace.
 * @param line Text before the cursor on the last line
 * @param before Lines of the same statement before it
 */
export function complete(line: string, before: string, catalog: Catalog): [words: string[], part: string] {
  if (line.startsWith('\\')) return completeCommand(line, catalog);
  const part = /[\w.]*$/.exec(line)?.[0] ?? '';
  const text = `${before}\n${line}`;
  const dot = part.lastIndexOf('.');
  const qualifier = dot < 0 ? '' : part.slice(0, dot);
  const table = tableOf(qualifier, text, catalog);
  const words =
    table === undefined
      ? [
          ...catalog.tables.map((one) => one.table),
          ...catalog.functions.map((name) => `${name}(`),
          ...(dot < 0 ? plainWords(text, catalog) : []),
        ]
      : table.columns.map(({ name }) => `${qualifier}.${name}`);
  return [startingWith(words, part), part];
}

function completeCommand(line: string, { tables }: Catalog): [words: string[], part: string] {
  const [command = '', ...rest] = line.split(/\s+/);
  if (rest.length === 0) return [startingWith(Object.keys(COMMANDS), command), command];
  const part = rest.at(-1) ?? '';
  const words = command === '\\d' ? tables.map(({ table }) => table) : command === '\\format' ? FORMATS : [];
  return [startingWith(words, part), part];
}

/** Columns of the tables that the statement names (of all tables, if it names none), and keywords. */
function plainWords(text: string, { tables }: Catalog): string[] {
  const named = tables.filter(({ table }) => text.includes(table));
  const columns = (named.length > 0 ? named : tables).flatMap((table) => table.columns.map(({ name }) => name));
  return [...columns, ...KEYWORDS];
}

/** Returns the table for which a qualifier stands: its name, its name without schema, or an alias. */
function tableOf(qualifier: string, text: string, { tables }: Catalog): CatalogTable | undefined {
  if (qualifier === '') return undefined;
  const aliases = new Map(
    [...text.matchAll(/\b(?:FROM|JOIN|,)\s+(\w+\.\w+)(?:\s+AS)?\s+(\w+)/gi)].map(([, table, alias]) => [alias, table]),
  );
  const name = aliases.get(qualifier) ?? qualifier;
  return tables.find(({ table }) => table === name || (text.includes(table) && table.split('.')[1] === name));
}

function startingWith(words: readonly string[], part: string): string[] {
  const start = part.toLowerCase();
  return [...new Set(words)].filter((word) => word.toLowerCase().startsWith(start)).toSorted();
}
