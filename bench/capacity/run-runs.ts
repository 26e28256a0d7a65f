import { formatCount } from '../../schemas/format.js';
import { report } from '../report/report.js';
import { measureSize, type MeasuredSize } from './measure.js';
import { runTables } from './run-tables.js';

const SIZES = (process.env['CAPACITY_COMPANIES'] ?? '1000,10000').split(',').map(Number);
const MEMORY = process.env['CAPACITY_WAREHOUSE_MEMORY'];

/**
 * Measures what a search, a first night, a second night and the copies of their builds cost. `npm run bench -- capacity`
 * computes larger markets from the saved result. `CAPACITY_COMPANIES` sets the sizes, separated by commas, and
 * `CAPACITY_WAREHOUSE_MEMORY` the memory of DuckDB.
 */
export async function benchCapacityRuns(): Promise<void> {
  const sizes: MeasuredSize[] = [];
  for (const companies of SIZES) {
    sizes.push(await measureSize(companies, MEMORY));
    process.stdout.write(`  ${formatCount(companies)} companies: ${JSON.stringify(sizes.at(-1))}\n`);
  }
  report({
    bench: 'capacity-runs',
    settings: {
      CAPACITY_COMPANIES: SIZES.join(','),
      ...(MEMORY === undefined ? {} : { CAPACITY_WAREHOUSE_MEMORY: MEMORY }),
    },
    versions: { versitygw: '1.8.0' },
    rounds: 1,
    tables: runTables(sizes),
  });
}
