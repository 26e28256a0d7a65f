import { fromIso } from './calendar.js';
import { Dice } from './dice.js';
import { FILTERABLE } from './tags.js';

/** Options of a market. The same options produce the same market on any machine. */
export interface WorldOptions {
  /** Number of companies in the market on day 0; 1 to 1,000,000. */
  companies: number;
  /** Number of tenders listed on day 0. */
  tenders: number;
  seed: number;
  /** Calendar date of day 0, yyyy-mm-dd. */
  date: string;
  /** Number of identical companies on day 0 that no filter can separate, on any day (default 0). */
  clones?: number;
  /**
   * Whether events about people, offices and owners come in pairs. Both events of a pair have the same field and the
   * same time, to the second. `different`: their values differ. `alike`: their values are equal.
   */
  eventTwins?: 'none' | 'different' | 'alike';
  /**
   * Form of VAT numbers. `plain` (default): the country code and eight digits. Otherwise the form of the country, with
   * valid check digits, such as `BE0400000185` or `EL012345670`. Then records and lookups have the number with its
   * prefix (`prefixed`) or without it (`bare`). `either`: records have the prefix, and lookups find both spellings.
   */
  vatNumbers?: 'plain' | 'prefixed' | 'bare' | 'either';
}

/** A market: its options, its random numbers and its start date. All functions of this folder take it. */
export interface Context {
  options: WorldOptions;
  dice: Dice;
  /** Unix day of day 0. */
  start: number;
}

export const MAX_COMPANIES = 1_000_000;

/**
 * Checks the options and returns the context.
 *
 * @throws RangeError that names the invalid option
 */
export function createContext(options: WorldOptions): Context {
  const { companies, tenders, seed, date, clones = 0 } = options;
  if (!Number.isInteger(companies) || companies < 1 || companies > MAX_COMPANIES) {
    throw new RangeError(`companies must be a whole number from 1 to ${MAX_COMPANIES}, not ${companies}`);
  }
  if (!Number.isInteger(tenders) || tenders < 0 || tenders > 100_000) {
    throw new RangeError(`tenders must be a whole number from 0 to 100000, not ${tenders}`);
  }
  if (!Number.isSafeInteger(seed)) throw new RangeError(`seed must be a whole number, not ${seed}`);
  if (!Number.isInteger(clones) || clones < 0 || clones > companies) {
    throw new RangeError(`clones must be a whole number from 0 to the number of companies, not ${clones}`);
  }
  const start = fromIso(date);
  if (start === undefined) throw new RangeError(`date must be a calendar date yyyy-mm-dd, not ${date}`);
  return { options, dice: new Dice(seed, clones, FILTERABLE), start };
}
