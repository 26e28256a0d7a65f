import { makeNights } from './cases.js';
import { measurePlanner, measureRivals } from './measure.js';
import { pathTable, resultTable, wasteTable } from './table.js';
import { measureWeek } from './turns.js';

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
export function benchPlanner(): Promise<void> {
  for (const companies of numbers('PLANNER_COMPANIES', MARKETS)) {
    const countries = Number(process.env['PLANNER_COUNTRIES'] ?? COUNTRIES);
    const nights = makeNights(companies, countries);
    for (const size of numbers('PLANNER_PAGE_SIZES', PAGE_SIZES)) {
      const planned = measurePlanner(nights, size);
      print(
        `\nplanner: ${companies} companies, ${countries} countries, ${size} per page, ${companies / size / 10} caps`,
      );
      print(resultTable([...planned, ...measureRivals(nights, size)]));
      print(wasteTable(planned));
      // For a million companies, a week of full searches takes minutes.
      if (companies < 1_000_000) {
        const { first, others, members, gone } = measureWeek(nights.lastNight, size, countries);
        print(
          `no way to companies without a date, a seventh of them searched each night: first night ${first.toFixed(3)}, then ${others.toFixed(3)} in later nights; of all companies, ${(members * 100).toFixed(2)} % are members, ${(gone * 100).toFixed(2)} % of the members are gone`,
        );
      }
      if (process.env['PLANNER_DETAIL']) for (const line of planned) print(pathTable(line));
    }
  }
  return Promise.resolve();
}

function numbers(name: string, otherwise: number[]): number[] {
  return process.env[name]?.split(',').map(Number) ?? otherwise;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
