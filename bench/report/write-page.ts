import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chartsOf } from './charts.js';
import { fillPage, PAGES, readResults, resultsOn } from './page.js';
import { ROOT } from './result.js';

const results = readResults();
for (const page of PAGES) {
  const file = path.join(ROOT, 'docs', page);
  writeFileSync(file, fillPage(readFileSync(file, 'utf8'), resultsOn(page, results)));
}
for (const [name, svg] of chartsOf(results)) writeFileSync(path.join(ROOT, 'docs', 'images', name), svg);
