import { emptyColumns, NONE, sortColumns, type Columns } from './columns.js';
import { lowerBound } from './lower-bound.js';
import { generator, skewed } from './random.js';
import { DAY_MS } from '../../src/base/time/time.js';

/** Options of a simulated register. */
export interface RegisterShape {
  companies: number;
  seed: number;
  /** Share of the companies registered on one single day. Default 0.03. */
  spike?: number;
  /**
   * Share of the companies without a date of incorporation. Most of their other values are missing too. Default 0.05.
   */
  withoutIncorporation?: number;
  /** Number of countries. Default 30. With 1, the dimension `country` cannot split any segment. */
  countries?: number;
}

export const FIRST_DAY = dayOf(1900, 1, 1);
export const LAST_DAY = dayOf(2026, 11, 20);
export const STATUSES = [199, 200, 201];
export const LEGAL_FORMS = Array.from({ length: 13 }, (_, i) => i + 2);
export const COUNTRIES = Array.from({ length: 30 }, (_, i) => i + 1);
export const ACTIVITIES = [1, 2, 3];

const SPIKE_DAY = dayOf(2014, 3, 31);
// Some registers use this date for "unknown".
const PLACEHOLDER_DAY = dayOf(1970, 1, 1);
const PLACEHOLDER_SHARE = 0.002;
const GROWTH_YEARS = 18;
const MONDAY_TO_SUNDAY = [1.1, 1.05, 1, 1, 0.95, 0.06, 0.03];
const ID_STEP = 7;
const FIRST_ID = 100_000;

/** Draws new values for a company, except its id and date. An update of the register changes these values. */
export type Draw = (columns: Columns, row: number, dated: boolean) => void;

/**
 * Generates a market with the skew of a real register:
 *
 * - growth over the decades, with good and bad years
 * - quiet weekends, and peaks at the start of months and years
 * - one day on which many companies were registered at once
 * - companies that lack several values together
 *
 * The rows are in the order in which searches list them.
 */
export function generateRegister(shape: RegisterShape): Columns {
  const { spike = 0.03, withoutIncorporation = 0.05 } = shape;
  const random = generator(shape.seed);
  const drawDay = daySampler(random);
  const drawValues = valueSampler(random, shape.companies, shape.countries);
  const columns = emptyColumns(shape.companies);
  for (let row = 0; row < shape.companies; row++) {
    columns.id[row] = FIRST_ID + row * ID_STEP;
    const dated = random() >= withoutIncorporation;
    const luck = random();
    if (dated)
      columns.incorporated[row] =
        luck < spike ? SPIKE_DAY : luck < spike + PLACEHOLDER_SHARE ? PLACEHOLDER_DAY : drawDay();
    drawValues(columns, row, dated);
  }
  return sortColumns(columns);
}

/** Returns a function that draws days of incorporation. */
export function daySampler(random: () => number): () => number {
  const days = LAST_DAY - FIRST_DAY + 1;
  const upTo = new Float64Array(days);
  let sum = 0;
  let year = 0;
  let mood = 1;
  for (let i = 0; i < days; i++) {
    const date = new Date((FIRST_DAY + i) * DAY_MS);
    if (date.getUTCFullYear() !== year) {
      year = date.getUTCFullYear();
      mood = 0.5 * mood + 0.5 * (0.6 + 0.8 * random());
    }
    const weekday = MONDAY_TO_SUNDAY[(date.getUTCDay() + 6) % 7]!;
    const first = date.getUTCDate() === 1;
    const peak = first && date.getUTCMonth() === 0 ? 8 : first ? 3 : 1;
    sum += Math.exp(i / 365 / GROWTH_YEARS) * mood * weekday * peak;
    upTo[i] = sum;
  }
  return () => {
    const goal = random() * sum;
    return FIRST_DAY + lowerBound(days - 1, (i) => upTo[i]! > goal);
  };
}

/**
 * Returns a function that draws the other values. In total, 40 % have no employees, 57 % no turnover, 3 % no legal
 * form.
 */
export function valueSampler(random: () => number, companies: number, countries = COUNTRIES.length): Draw {
  const zips = Math.max(100, Math.min(20_000, Math.floor(companies / 50)));
  return (columns, row, dated) => {
    const chance = random();
    columns.status[row] = STATUSES[chance < 0.86 ? 0 : chance < 0.96 ? 1 : 2]!;
    columns.country[row] = COUNTRIES[skewed(random, countries)]!;
    columns.zip[row] = random() < 0.02 ? NONE : 10_000 + skewed(random, zips);
    columns.legalForm[row] =
      random() < (dated ? 0.0105 : 0.4) ? NONE : LEGAL_FORMS[skewed(random, LEGAL_FORMS.length)]!;
    let mask = 0;
    for (const [i, share] of [0.5, 0.3, 0.6].entries()) if (random() < share) mask |= 1 << ACTIVITIES[i]!;
    columns.activities[row] = mask || 1 << 3;
    const counted = random() >= (dated ? 0.376 : 0.85);
    columns.employees[row] = counted ? Math.floor(Math.exp(random() ** 2 * 10)) : NONE;
    const published = random() >= (dated ? (counted ? 0.402 : 0.8) : 0.92);
    columns.turnover[row] = published ? Math.round(Math.exp(8 + random() * 12) * 100) / 100 : NONE;
  };
}

function dayOf(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}
