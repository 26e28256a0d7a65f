import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chartsOf } from './charts.js';
import { fillPage, readResults } from './page.js';
import { ROOT } from './result.js';

const PAGE = path.join(ROOT, 'docs', 'performance.md');
const results = readResults();
writeFileSync(PAGE, fillPage(readFileSync(PAGE, 'utf8'), results));
for (const [name, svg] of chartsOf(results)) writeFileSync(path.join(ROOT, 'docs', 'images', name), svg);
