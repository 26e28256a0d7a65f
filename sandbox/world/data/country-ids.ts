import { ISO_COUNTRIES } from './iso-countries.js';
import { MARKET_COUNTRIES } from './market-countries.js';

/*
 * Ids of countries. The reference omits the list ("read from the nomenclatures endpoint"), so the sandbox chose the
 * ids. As the reference says, company countries and tender countries have different ids.
 */

/** An entry of the nomenclature `countries`; `short_name` is the ISO 3166 alpha-2 code. */
export interface CountryEntry {
  id: number;
  name: string;
  short_name: string;
}

/** Company countries, as the nomenclature `countries` returns them. */
export const COUNTRIES: readonly CountryEntry[] = ISO_COUNTRIES.map(([short_name, name], position) => ({
  id: 1001 + position * 2,
  name,
  short_name,
}));

/** Tender countries: the same names with other ids. */
export const TENDER_COUNTRIES: readonly { id: number; name: string }[] = ISO_COUNTRIES.map(([, name], position) => ({
  id: 11 + position,
  name,
}));

const idByCode = new Map(COUNTRIES.map((entry) => [entry.short_name, entry.id]));
const regionByCode = new Map(ISO_COUNTRIES.map(([code, , region]) => [code, region]));

/** Ids of the market countries, in the order of MARKET_COUNTRIES. */
export const MARKET_COUNTRY_IDS: readonly number[] = MARKET_COUNTRIES.map(({ code }) => idByCode.get(code)!);

/** Region ids of the market countries, in the order of MARKET_COUNTRIES. */
export const MARKET_REGION_IDS: readonly number[] = MARKET_COUNTRIES.map(({ code }) => regionByCode.get(code)!);
