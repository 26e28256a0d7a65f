/** Whether a file has all tables that a query names. A file that another version of Tidemark published may lack some. */
export function hasTables(tables: ReadonlySet<string>, sql: string): boolean {
  const needed = sql.match(/\b(?:core|marts|ops|meta|base)\.[a-z][a-z0-9_]*\b/g) ?? [];
  return needed.every((table) => tables.has(table));
}
