import { makeNights } from './cases.js';
import { measurePlanner, measureRivals } from './measure.js';
import { report } from '../report/report.js';
import { pageTables, type MarketResult } from './page-tables.js';
import { pathTable, resultTable, wasteTable } from './table.js';

const MARKETS = [10_000, 100_000, 1_000_000];
const PAGE_SIZES = [10, 50, 100];
const COUNTRIES = 30;

/**
 * Compares the planner with the usual methods on simulated markets. The results are the same on every machine.
 * Environment variables:
 * - `PLANNER_COMPANIES`, `PLANNER_PAGE_SIZES`: comma-separated lists that limit the runs
 * - `PLANNER_COUNTRIES=1`: removes the only fine-grained dimension without missing values
 * - `PLANNER_DETAIL=1`: also prints the waste by dimension
 */
export async function benchPlanner(): Promise<void> {
  const results: MarketResult[] = [];
  const [markets, sizes] = [numbers('PLANNER_COMPANIES', MARKETS), numbers('PLANNER_PAGE_SIZES', PAGE_SIZES)];
  for (const companies of markets) {
    const countries = Number(process.env['PLANNER_COUNTRIES'] ?? COUNTRIES);
    const nights = makeNights(companies, countries);
    for (const size of sizes) {
      const planned = await measurePlanner(nights, size);
      const rivals = measureRivals(nights, size);
      print(
        `\nplanner: ${companies} companies, ${countries} countries, ${size} per page, ${companies / size / 10} caps`,
      );
      print(resultTable([...planned, ...rivals]));
      print(wasteTable(planned));
      if (process.env['PLANNER_DETAIL']) for (const line of planned) print(pathTable(line));
      results.push({ companies, size, planned, rivals });
    }
  }
  const settings = { PLANNER_COMPANIES: markets.join(), PLANNER_PAGE_SIZES: sizes.join() };
  report({ bench: 'planner', settings, rounds: 1, tables: pageTables(results) });
}

function numbers(name: string, otherwise: number[]): number[] {
  return process.env[name]?.split(',').map(Number) ?? otherwise;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
