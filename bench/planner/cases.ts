import type { PlanInput } from '../../src/planner/index.js';
import type { Columns } from './columns.js';
import { DIMENSIONS } from './crawl.js';
import type { MarketQuirks } from './market.js';
import { distributionsOf, nextNight } from './night.js';
import { generateRegister } from './register.js';

/** A market on two nights running: the warehouse knows the first, the crawl is of the second. */
export interface Nights {
  lastNight: Columns;
  tonight: Columns;
}

/** A way to run the planner. */
export interface Case {
  name: string;
  quirks: MarketQuirks;
  input: Partial<PlanInput>;
}

const SEED = 20_261_120;

/** The simulated market of so many companies, in so many countries. */
export function makeNights(companies: number, countries?: number): Nights {
  const lastNight = generateRegister({ companies, seed: SEED, ...(countries === undefined ? {} : { countries }) });
  return { lastNight, tonight: nextNight(lastNight, SEED + 1, countries) };
}

/**
 * What the planner is measured on. `values known`: nothing is spent on companies without a date (`requestsPerCompany` 0). A
 * door is a way the API may offer to those: a filter value that selects them, or version 1 with all its pages.
 */
export function makeCases({ lastNight }: Nights): Case[] {
  const known = { distributions: distributionsOf(lastNight) };
  const withNullValue = DIMENSIONS.map((dimension) =>
    dimension.key === 'company_incorporation' ? { ...dimension, nullValue: null } : dimension,
  );
  return [
    { name: 'cold, values known', quirks: {}, input: { requestsPerCompany: 0 } },
    { name: 'warm, values known', quirks: {}, input: { requestsPerCompany: 0, known } },
    { name: 'cold, full', quirks: {}, input: {} },
    { name: 'warm, full', quirks: {}, input: { known } },
    { name: 'cold, null door', quirks: { nullSelects: true }, input: { dimensions: withNullValue } },
    { name: 'warm, null door', quirks: { nullSelects: true }, input: { dimensions: withNullValue, known } },
    { name: 'cold, v1 door', quirks: { v1: 'uncapped' }, input: { v1Filters: {} } },
  ];
}
