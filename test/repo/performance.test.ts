import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { chartsOf } from '../../bench/report/charts.js';
import { fillPage, readResults, sectionsWithoutCommand } from '../../bench/report/page.js';
import { ROOT } from './project-files.js';

const page = readFileSync(path.join(ROOT, 'docs', 'performance.md'), 'utf8');
const results = readResults();

it('shows the saved results of the benchmarks (write them with: npm run bench:page)', () => {
  expect(results.size).toBeGreaterThan(0);
  expect(fillPage(page, results)).toBe(page);
});

it('has charts of the saved results', () => {
  for (const [file, svg] of chartsOf(results))
    expect(readFileSync(path.join(ROOT, 'docs', 'images', file), 'utf8')).toBe(svg);
});

it('names the command that measures the figures of each section', () => {
  expect(sectionsWithoutCommand(page)).toEqual([]);
  expect(sectionsWithoutCommand('## Speed\n\nIt takes 3 s.\n')).toEqual(['## Speed']);
});
