import { fromIso, newYear, yearOf } from './calendar.js';
import { KIND, type Versions } from './changes.js';
import { NACE_CLASSES, naceOf } from './classification.js';
import type { Context } from './context.js';
import { MARKET_COUNTRIES, type MarketCountry } from './data/market-countries.js';
import { ACTIVITIES, OWNERSHIP_TYPES } from './data/nomenclatures.js';
import { bornOn } from './membership.js';
import { TAG } from './tags.js';

/*
 * Attributes of a company as numbers, for filters. `company-record.ts` and `contacts.ts` turn them into text. Each
 * function takes the company's index. For an attribute that changes over time, it also takes the company's versions on
 * the day.
 */

const COUNTRY_OF_DRAW = byWeight(MARKET_COUNTRIES.map((country) => country.weight));
/**
 * Ids of legal forms, the most common first (16 is Private limited). The share of the form at position r (from 0) is
 * proportional to 1 / (r + 1)^1.4.
 */
const LEGAL_FORM_RANKS = [16, 13, 10, 15, 9, 14, 8, 2, 12, 11, 18, 17];
const LEGAL_FORM_OF_DRAW = byWeight(LEGAL_FORM_RANKS.map((_, rank) => 1 / (rank + 1) ** 1.4));

/** Unix day of 2009-07-01. About 3 % of the companies were registered on this day. */
const REGISTRATION_SPIKE = 14_426;
/**
 * Latest date of incorporation of a company that is in the market on day 0 (the start date). The value is fixed, so that
 * markets with different start dates have the same companies.
 */
const LAST_FOUNDING = fromIso('2026-06-30')!;

function byWeight(weights: readonly number[]): Uint8Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table = new Uint8Array(4096);
  let [position, reached] = [0, weights[0]! / total];
  for (let slot = 0; slot < table.length; slot++) {
    while ((slot + 0.5) / table.length > reached && position < weights.length - 1) {
      position++;
      reached += weights[position]! / total;
    }
    table[slot] = position;
  }
  return table;
}

/** Returns the country of a company, as a position in MARKET_COUNTRIES. */
export function countryOf(ctx: Context, index: number): number {
  return COUNTRY_OF_DRAW[ctx.dice.draw(TAG.country, index) & 4095]!;
}

export function marketCountryOf(ctx: Context, index: number): MarketCountry {
  return MARKET_COUNTRIES[countryOf(ctx, index)]!;
}

/** Returns the unix day of incorporation (negative before 1970). Null for about 5 % of the companies. */
export function foundedOn(ctx: Context, index: number): number | null {
  const { dice } = ctx;
  const draw = dice.unit(TAG.founding, index);
  if (draw < 0.05) return null;
  const born = bornOn(ctx, index);
  if (born !== -Infinity) return born - dice.below(20, TAG.foundingDay, index);
  const last = Math.min(LAST_FOUNDING, ctx.start - 1);
  if (draw < 0.08 && REGISTRATION_SPIKE <= last) return REGISTRATION_SPIKE;
  const age = Math.min(45_000, Math.floor(-Math.log(1 - dice.unit(TAG.foundingDay, index)) * 5500));
  const day = last - age;
  // If a register knows only the year, it records 1 January.
  return draw < 0.12 ? newYear(yearOf(day)) : day;
}

/** Returns the legal form of a company, as an id of the lookup list `ownership_types`. Every company has one. */
export function legalFormOf(ctx: Context, index: number): number {
  return LEGAL_FORM_RANKS[LEGAL_FORM_OF_DRAW[ctx.dice.draw(TAG.legalForm, index) & 4095]!]!;
}

export function legalFormName(id: number): string {
  return OWNERSHIP_TYPES.find((entry) => entry.id === id)!.name;
}

/** Returns the status of a company as an id: 199 Active, 200 Inactive or 201 Intermediate. */
export function statusOf(ctx: Context, index: number, versions: Versions): number {
  const draw = ctx.dice.unit(TAG.status, index, versions.get(KIND.status));
  if (draw < 0.86) return 199;
  return draw < 0.955 ? 200 : 201;
}

/**
 * Returns the number of employees before any change. Null for the 40 % of companies that have no figure; they never get
 * one.
 */
export function firstEmployeesOf(ctx: Context, index: number): number | null {
  if (ctx.dice.chance(0.4, TAG.employees, index)) return null;
  const count = Math.round(Math.exp(2.1 + 1.6 * ctx.dice.normal(TAG.employees, index, 1)));
  return Math.min(250_000, Math.max(1, count));
}

/** Returns the number of employees on a day (`number_of_employees`). */
export function employeesOf(ctx: Context, index: number, versions: Versions): number | null {
  const first = firstEmployeesOf(ctx, index);
  const version = versions.get(KIND.size);
  if (first === null || version === 0) return first;
  return Math.max(1, Math.round(first * (0.6 + 0.9 * ctx.dice.unit(TAG.employeesFactor, index, version))));
}

/**
 * Returns the activity types as bits: bit n stands for activity type n + 1. 10 % of the companies have none (0), 12 %
 * have two.
 */
export function activityTypesOf(ctx: Context, index: number): number {
  const draw = ctx.dice.unit(TAG.activityType, index);
  if (draw < 0.1) return 0;
  const first = 1 << (draw < 0.3 ? 0 : draw < 0.5 ? 1 : 2);
  return draw % 0.01 < 0.002 ? first | (1 << ctx.dice.below(3, TAG.activityType, index, 1)) : first;
}

/** Returns whether a company is a subsidiary, as an id: 1 Subsidiary, 2 Not a Subsidiary. */
export function companyTypeOf(ctx: Context, index: number): number {
  return ctx.dice.chance(0.18, TAG.companyType, index) ? 1 : 2;
}

/**
 * Returns the position of the foreign parent's country in MARKET_COUNTRIES. Undefined if there is no foreign parent.
 */
export function foreignParentOf(ctx: Context, index: number): number | undefined {
  if (companyTypeOf(ctx, index) !== 1 || !ctx.dice.chance(0.4, TAG.parent, index)) return undefined;
  const parent = COUNTRY_OF_DRAW[ctx.dice.draw(TAG.parent, index, 1) & 4095]!;
  return parent === countryOf(ctx, index) ? undefined : parent;
}

/**
 * Returns the rank of the postcode in its country; rank 0 is the most common (Zipf's law). Undefined if the country has
 * no postcodes.
 */
export function zipRankOf(ctx: Context, index: number, versions: Versions): number | undefined {
  const { zips } = marketCountryOf(ctx, index);
  if (zips === 0) return undefined;
  const draw = ctx.dice.unit(TAG.zip, index, versions.get(KIND.move));
  return Math.min(zips - 1, Math.floor((zips + 1) ** draw) - 1);
}

/** Returns the city of a company, as a position in the country's list of cities. */
export function cityOf(ctx: Context, index: number, versions: Versions): number {
  const { cities } = marketCountryOf(ctx, index);
  const rank = zipRankOf(ctx, index, versions);
  return rank === undefined
    ? ctx.dice.below(cities.length, TAG.zip, index, versions.get(KIND.move))
    : rank % cities.length;
}

/** Returns the trading activity as bits: bit 0 is import, bit 1 is export. */
export function tradingOf(ctx: Context, index: number, versions: Versions): number {
  const draw = ctx.dice.unit(TAG.trading, index, versions.get(KIND.trading));
  return draw < 0.7 ? 0 : draw < 0.82 ? 1 : draw < 0.92 ? 2 : 3;
}

/** Returns one to three positions in ACTIVITIES, without duplicates. The first one follows from the NACE class. */
export function industriesOf(ctx: Context, index: number): number[] {
  const first = NACE_CLASSES[naceOf(ctx, index)]!.industry;
  const more = ctx.dice.unit(TAG.industry, index);
  if (more < 0.65) return [first];
  const second = ctx.dice.below(ACTIVITIES.length, TAG.industryMore, index);
  const third = ctx.dice.below(ACTIVITIES.length, TAG.industryMore, index, 1);
  return [...new Set(more < 0.9 ? [first, second] : [first, second, third])];
}
