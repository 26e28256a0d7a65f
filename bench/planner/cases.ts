import type { PlanInput, Remainder } from '../../src/crawl/search/plan/index.js';
import type { Columns } from './columns.js';
import { DIMENSIONS } from './crawl.js';
import type { MarketQuirks } from './market.js';
import { distributionsOf, nextNight } from './night.js';
import { generateRegister } from './register.js';

/** A market on two consecutive nights. The warehouse knows the first night; the crawl runs on the second. */
export interface Nights {
  lastNight: Columns;
  tonight: Columns;
}

/** One configuration of the planner and of the simulated API. */
export interface Case {
  name: string;
  quirks: MarketQuirks;
  input: Partial<PlanInput>;
}

const NOTHING: Remainder = { share: 0, records: () => 0, limit: null };
const RECORDS: Remainder = { share: 0.05, records: (companies) => 2 * companies, limit: null };
const SEED = 20_261_120;

/** Makes the simulated market with a number of companies and countries. */
export function makeNights(companies: number, countries?: number): Nights {
  const lastNight = generateRegister({ companies, seed: SEED, ...(countries === undefined ? {} : { countries }) });
  return { lastNight, tonight: nextNight(lastNight, SEED + 1, countries) };
}

/**
 * The measured cases. Words in their names:
 *
 * - `cold`: without last night's distributions. `warm`: with them.
 * - `values known`: spends no request on companies without a date (a remainder of 0 %).
 * - `full`: a night that fetches no records. `records`: a night that fetches two records of each company.
 * - `null filter`: a filter value selects the companies without a date.
 * - `version 1`: version 1 lists the companies without a date, on all its pages.
 */
export function makeCases({ lastNight }: Nights): Case[] {
  const known = { distributions: distributionsOf(lastNight) };
  const withNullValue = DIMENSIONS.map((dimension) =>
    dimension.key === 'company_incorporation' ? { ...dimension, nullValue: null } : dimension,
  );
  return [
    { name: 'cold, values known', quirks: {}, input: { remainder: NOTHING } },
    { name: 'warm, values known', quirks: {}, input: { remainder: NOTHING, known } },
    { name: 'cold, full', quirks: {}, input: {} },
    { name: 'warm, full', quirks: {}, input: { known } },
    { name: 'cold, records', quirks: {}, input: { remainder: RECORDS } },
    { name: 'cold, null filter', quirks: { nullSelects: true }, input: { dimensions: withNullValue } },
    { name: 'warm, null filter', quirks: { nullSelects: true }, input: { dimensions: withNullValue, known } },
    { name: 'cold, version 1', quirks: { v1: 'uncapped' }, input: { v1Filters: {} } },
  ];
}
