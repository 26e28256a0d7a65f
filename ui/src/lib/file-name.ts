/** Longer names are cut. */
const BEGINNING = /^.{0,100}/su;

/**
 * Names an exported file by what it holds, such as `companies-country-DE-2026-11-24.csv`.
 * @param parts what the file holds; letters that a file name cannot have become hyphens
 * @param night latest night of the data, `YYYY-MM-DD`; empty if there is none
 * @param format ending of the name
 */
export function fileName(parts: readonly string[], night: string, format: string): string {
  const name = parts
    .map((part) => part.replaceAll(/[^\p{L}\p{N}_.+]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, ''))
    .filter((part) => part !== '')
    .join('-');
  const what = BEGINNING.exec(name)?.[0] || 'result';
  return `${what}${night === '' ? '' : `-${night}`}.${format}`;
}

/** Returns the tables that a query names after FROM or JOIN, such as `marts.companies`, without repeats. */
export function tablesOf(sql: string): string[] {
  const found = sql.matchAll(/\b(?:from|join)\s+((?:core|marts|ops|meta)\.\w+)/gi);
  return [...new Set([...found].map(([, table]) => (table ?? '').toLowerCase()))];
}
