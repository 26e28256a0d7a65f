import { formatCount } from '../../schemas/format.js';
import { report } from '../report/report.js';
import { measureRun } from './measure.js';
import { SEARCH_ONLY, startSystem } from './system.js';
import { scaleTables, type Size } from './tables.js';

const SIZES = (process.env['SCALE_COMPANIES'] ?? '20000,200000,1000000').split(',').map(Number);
// A fifth of the sandbox's companies: the United Kingdom and Ireland.
const COUNTRIES = [1471, 1213];

/**
 * Searches markets of several sizes, and fetches the records and reports of a fifth of their companies. Fits a cost model
 * to the results, and predicts larger markets. `SCALE_COMPANIES` sets the sizes, separated by commas.
 */
export async function benchScale(): Promise<void> {
  const sizes: Size[] = [];
  for (const companies of SIZES) {
    const size = await measureSize(companies);
    sizes.push(size);
    for (const [name, { cost, searched, peakMiB, crawlMiB }] of Object.entries({
      search: size.search,
      fetch: size.fetch,
    }))
      process.stdout.write(
        `  ${formatCount(companies)} companies, ${name} ${formatCount(searched)}: ${JSON.stringify(cost)} peak MiB ${JSON.stringify(peakMiB)} ${JSON.stringify(crawlMiB)}\n`,
      );
  }
  report({
    bench: 'scale',
    settings: { SCALE_COMPANIES: SIZES.join(',') },
    rounds: 1,
    tables: scaleTables(sizes),
  });
}

async function measureSize(companies: number): Promise<Size> {
  const part = {
    name: 'part',
    filters: { location_countries: { include: COUNTRIES } },
    streams: ['companies', 'financials'],
  };
  const system = await startSystem(companies, [SEARCH_ONLY, part]);
  try {
    const search = await measureRun(system, 'all');
    return { companies, search, fetch: await measureRun(system, 'part') };
  } finally {
    await system.stop();
  }
}
