import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { renderMarkdown } from './render.js';
import { RESULTS, type BenchResult } from './result.js';

// A table of a result in a Markdown page: <!-- bench: compare, speed at 0 ms --> … <!-- end -->
const PLACE = /(<!-- bench: ([\w-]+), (.+?) -->\n)[^]*?(<!-- end -->)/g;

/** The pages with tables of results, in docs/. */
export const PAGES = ['performance.md', 'capacity.md'] as const;
const ON_CAPACITY: ReadonlySet<string> = new Set(['capacity', 'capacity-runs']);

/** Selects the results that a page shows. */
export function resultsOn(
  page: (typeof PAGES)[number],
  results: ReadonlyMap<string, BenchResult>,
): Map<string, BenchResult> {
  return new Map([...results].filter(([bench]) => ON_CAPACITY.has(bench) === (page === 'capacity.md')));
}

/** Reads the saved results of all benchmarks, by name. */
export function readResults(folder = RESULTS): Map<string, BenchResult> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const results = files.map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as BenchResult);
  return new Map(results.map((result) => [result.bench, result]));
}

/**
 * Writes the tables of the results between their markers.
 * @throws Error if a marker names a table that no result has, or a result has a table that the page does not show
 */
export function fillPage(page: string, results: ReadonlyMap<string, BenchResult>): string {
  const shown = new Set<string>();
  const filled = page.replaceAll(PLACE, (_, begin: string, bench: string, name: string, end: string) => {
    const result = results.get(bench);
    const table = result?.tables.find((one) => one.name === name);
    if (result === undefined || table === undefined) throw new Error(`no result has the table "${bench}, ${name}"`);
    shown.add(`${bench}, ${name}`);
    return `${begin}\n${renderMarkdown(result, table)}\n\n${end}`;
  });
  const hidden = [...results.values()].flatMap(({ bench, tables }) =>
    tables.map(({ name }) => `${bench}, ${name}`).filter((name) => !shown.has(name)),
  );
  if (hidden.length > 0) throw new Error(`the page does not show: ${hidden.join('; ')}`);
  return filled;
}

/** Returns the headings of sections that show figures but no command that measures them. */
export function sectionsWithoutCommand(page: string): string[] {
  const sections = page.split(/^(?=#{2,3} )/m).filter((section) => section.startsWith('##'));
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n', 1);
    const isMeasured = /\d (?:s|ms|MiB|GiB|KiB|%|×)\b|^\|.*\d/m.test(section);
    return isMeasured && !/`[^`]*\bnp(?:m run|x) [^`]+`/.test(section) ? [heading] : [];
  });
}
