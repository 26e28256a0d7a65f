import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tablesOf } from '../../bench/capacity/run.js';
import { readSettings } from '../../bench/capacity/settings.js';
import { chartsOf } from '../../bench/report/charts.js';
import { fillPage, PAGES, readResults, resultsOn, sectionsWithoutCommand } from '../../bench/report/page.js';
import { ROOT } from './project-files.js';

const read = (page: string): string => readFileSync(path.join(ROOT, 'docs', page), 'utf8');
const results = readResults();

it.each(PAGES)('shows the saved results of the benchmarks on %s (write them with: npm run bench:page)', (page) => {
  const shown = resultsOn(page, results);
  expect(shown.size).toBeGreaterThan(0);
  expect(fillPage(read(page), shown)).toBe(read(page));
});

it('has no saved result that no page shows', () => {
  const pages = PAGES.map(read).join('\n');
  const all = [...results].flatMap(([bench, { tables }]) => tables.map(({ name }) => `bench: ${bench}, ${name} -->`));
  expect(all.filter((one) => !pages.includes(one))).toEqual([]);
});

it('has a capacity plan of the saved runs (write it with: BENCH_SAVE=1 npm run bench -- capacity)', () => {
  expect(results.get('capacity')?.tables).toEqual(tablesOf(results, readSettings()));
});

it('has charts of the saved results', () => {
  for (const [file, svg] of chartsOf(results))
    expect(readFileSync(path.join(ROOT, 'docs', 'images', file), 'utf8')).toBe(svg);
});

it('names the command that measures the figures of each section', () => {
  for (const page of PAGES) expect(sectionsWithoutCommand(read(page))).toEqual([]);
  expect(sectionsWithoutCommand('## Speed\n\nIt takes 3 s.\n')).toEqual(['## Speed']);
});
