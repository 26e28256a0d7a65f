import {
  SIC_CODE_FILTERS,
  type IncorporationRange,
  type NumberRange,
  type ProspectingFilters,
  type TurnoverRange,
} from '../../../schemas/v2/prospecting.js';
import { fromIso, spanOfYears } from '../calendar.js';
import { classesUnder, nationalCodesOf } from '../classification.js';
import { HAS, NO_BYTE, NO_INT, type Columns } from '../columns.js';
import { indexOfAddress } from '../contacts.js';
import type { Context } from '../context.js';
import { MARKET_COUNTRIES, USD_PER } from '../data/market-countries.js';
import { ACTIVITIES } from '../data/nomenclatures.js';
import { TECHNOLOGIES } from '../data/technologies.js';
import { keywordsOf, technologyCodesWith, VISIT_BANDS } from '../insights.js';
import { FilterError } from './filter-error.js';
import { keepCities, keepPlaces, keepZips } from './locations.js';
import {
  flags,
  keepAnyBit,
  keepBits,
  keepCodes,
  keepCodesByCountry,
  keepCodesOfAny,
  keepDoubles,
  keepInts,
  keepOnly,
  type Rows,
} from './rows.js';
import { inclusive, type FilterRules } from './rules.js';

/** Data that a filter needs in addition to its own value. */
export interface FilterScope {
  ctx: Context;
  columns: Columns;
  rules: FilterRules;
}

type Apply<K extends keyof ProspectingFilters> = (
  rows: Rows,
  value: NonNullable<ProspectingFilters[K]>,
  scope: FilterScope,
) => void;

/**
 * Filters as a client may send them. Allows null, which the reference does not mention
 * (`FilterRules.incorporationNull`).
 */
export type AskedFilters = Omit<ProspectingFilters, 'company_incorporation'> & {
  company_incorporation?: IncorporationRange | null | undefined;
};

/**
 * Keeps companies that match every given filter.
 *
 * @throws FilterError for a value that cannot be applied
 */
export function applyProspectingFilters(rows: Rows, filters: AskedFilters, scope: FilterScope): void {
  for (const [key, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    if (value === null) {
      if (scope.rules.incorporationNull === 'select') keepInts(rows, scope.columns.founded, NO_INT, NO_INT, 0);
      continue;
    }
    const apply = APPLY[key as keyof ProspectingFilters] as Apply<keyof ProspectingFilters>;
    apply(rows, value, scope);
  }
}

type NumberColumn = {
  [K in keyof Columns]: Columns[K] extends Float64Array ? K : never;
}[keyof Columns];

function range(column: NumberColumn): (rows: Rows, value: NumberRange, scope: FilterScope) => void {
  return (rows, value, { columns, rules }) =>
    keepDoubles(rows, columns[column], ...inclusive(value.gte, value.lte, rules.bounds));
}

/** Keeps companies that have a website on the day that the columns describe. */
function withWebsite(rows: Rows, columns: Columns): void {
  keepAnyBit(rows, columns.has, HAS.website);
}

const sicFilters = Object.fromEntries(
  SIC_CODE_FILTERS.map((scheme) => [
    scheme,
    (rows: Rows, codes: string[], { columns }: FilterScope) => keepNationalCodes(rows, columns, scheme, codes),
  ]),
) as { [K in (typeof SIC_CODE_FILTERS)[number]]: Apply<K> };

const APPLY: { [K in keyof Required<ProspectingFilters>]: Apply<K> } = {
  ...sicFilters,
  company_status: (rows, ids, { columns }) => keepCodes(rows, columns.status, flags(ids.map((id) => id - 199))),
  number_of_employees: (rows, value, { columns, rules }) =>
    keepInts(rows, columns.employees, ...inclusive(value.gte, value.lte, rules.bounds), NO_INT),
  trading_activity: (rows, values, { columns }) => {
    const wanted = values.map((value) => value.toLowerCase());
    const bits = TRADING_ACTIVITIES.reduce((sum, name, bit) => (wanted.includes(name) ? sum | (1 << bit) : sum), 0);
    keepAnyBit(rows, columns.trading, bits);
  },
  activity_type: (rows, ids, { columns }) =>
    keepAnyBit(
      rows,
      columns.activityTypes,
      ids.reduce((bits, id) => (id >= 1 && id <= 3 ? bits | (1 << (id - 1)) : bits), 0),
    ),
  company_type: (rows, ids, { columns }) => keepCodes(rows, columns.companyType, flags(ids)),
  company_incorporation: (rows, value, { columns, rules }) => {
    const bounds = readIncorporation(value, rules);
    if (bounds === null) rows.clear();
    else keepInts(rows, columns.founded, ...bounds, NO_INT);
  },
  legal_form: (rows, ids, { columns }) => keepCodes(rows, columns.legalForm, flags(ids)),
  industry_focus: (rows, values, { columns }) => {
    keepIndustries(rows, columns, positionsOf(ACTIVITIES, values));
  },
  website_keywords: (rows, words, { columns }) => {
    withWebsite(rows, columns);
    const wanted = words.map((word) => word.trim().toLowerCase());
    const hits = ACTIVITIES.flatMap((_, position) =>
      keywordsOf([position]).some((word) => wanted.includes(word)) ? [position] : [],
    );
    keepIndustries(rows, columns, hits);
  },
  nace: (rows, codes, { columns }) => keepCodes(rows, columns.nace, classesUnder(codes, 'nace')),
  isic: (rows, codes, { columns }) => keepCodes(rows, columns.nace, classesUnder(codes, 'isic')),
  location_regions: (rows, value, { columns }) => keepPlaces(rows, columns, 'location_regions', value),
  location_countries: (rows, value, { columns }) => keepPlaces(rows, columns, 'location_countries', value),
  location_zip: (rows, texts, { columns }) => keepZips(rows, columns, texts),
  location_type: (rows, texts, { columns }) => keepCities(rows, columns, texts),
  financial_currency: (rows, codes, { columns }) => {
    const wanted = new Set(codes.map((code) => code.toUpperCase()));
    keepAnyBit(rows, columns.has, HAS.financials);
    keepCodes(rows, columns.country, flags(countryPositions((country) => wanted.has(country.currency))));
  },
  financial_turnover: (rows, value: TurnoverRange, { columns, rules }) => {
    const usd = USD_PER[value.currency ?? 'USD']!;
    const inUsd = (bound: number | undefined): number | undefined => (bound === undefined ? undefined : bound * usd);
    keepDoubles(rows, columns.turnover, ...inclusive(inUsd(value.gte), inUsd(value.lte), rules.bounds));
  },
  financial_profit: range('profit'),
  financial_liabilities: range('liabilities'),
  // The reference says "array of int". The sandbox accepts [minimum] and [minimum, maximum].
  financial_directors: (rows, [gte, lte, ...rest], { columns, rules }) => {
    if (rest.length > 0) throw new FilterError('financial_directors', 'Ensure this field has no more than 2 elements.');
    keepDoubles(rows, columns.directors, ...inclusive(gte, lte, rules.bounds));
  },
  financial_employee_profit: range('employeeProfit'),
  financial_exports: range('exports'),
  foreign_parents: (rows, value, { columns }) => {
    const text = value.toLowerCase();
    const all = MARKET_COUNTRIES.map((_, position) => position);
    const wanted =
      { yes: all, no: [NO_BYTE] }[text] ?? countryPositions((country) => country.code.toLowerCase() === text);
    keepCodes(rows, columns.foreignParent, flags(wanted));
  },
  ownership_accounts: (rows, value, { columns }) => {
    const wanted = /^(yes|consolidated)$/i.test(value) ? HAS.consolidated : 0;
    keepAnyBit(rows, columns.has, HAS.financials);
    keepBits(rows, columns.has, HAS.consolidated, wanted);
  },
  insights_visits: (rows, names, { columns }) => {
    withWebsite(rows, columns);
    keepCodes(
      rows,
      columns.visitBand,
      flags(VISIT_BANDS.flatMap(([name], band) => (names.includes(name) ? [band] : []))),
    );
  },
  insights_technologies: (rows, values, { columns }) => {
    withWebsite(rows, columns);
    const wanted = positionsOf(TECHNOLOGIES, values).map((position) => TECHNOLOGIES[position]!.id);
    keepCodes(rows, columns.technologies, technologyCodesWith(wanted));
  },
  insights_ranking: (rows, value, { columns, rules }) => {
    withWebsite(rows, columns);
    keepInts(rows, columns.ranking, ...inclusive(value.gte, value.lte, rules.bounds), NO_INT);
  },
  advance_companies: (rows, conditions, { columns }) => {
    for (const condition of conditions) {
      const bit = COMPANY_CONDITIONS[condition];
      if (bit === undefined) {
        throw new FilterError(
          'advance_companies',
          `"${condition}" is not one of ${Object.keys(COMPANY_CONDITIONS).join(', ')}.`,
        );
      }
      keepBits(rows, columns.has, bit);
    }
  },
  yoy_exports: range('yoyExports'),
  yoy_liabilities: range('yoyLiabilities'),
  yoy_staff: range('yoyStaff'),
  yoy_turnover: range('yoyTurnover'),
  yoy_ebitda: range('yoyEbitda'),
  yoy_profit: range('yoyProfit'),
  pronet: (rows, url, { ctx, columns }) => {
    const index = indexOfAddress(ctx, url);
    keepAnyBit(rows, columns.has, HAS.profile);
    keepOnly(rows, index === undefined ? [] : [index]);
  },
};

/** Values of the filter `trading_activity`. They have the order of the bits in the column `trading`. */
export const TRADING_ACTIVITIES = ['import', 'export'] as const;

/**
 * Values of the filter `advance_companies`. The reference shows no values ("extra company conditions"), so the sandbox
 * chose these.
 */
export const COMPANY_CONDITIONS: Readonly<Record<string, number>> = {
  has_phone: HAS.phone,
  has_email: HAS.email,
  has_fax: HAS.fax,
  has_website: HAS.website,
  has_pronet: HAS.profile,
  has_financials: HAS.financials,
};

function countryPositions(holds: (country: (typeof MARKET_COUNTRIES)[number]) => boolean): number[] {
  return MARKET_COUNTRIES.flatMap((country, position) => (holds(country) ? [position] : []));
}

/** Returns the positions of the entries that a value names, by id or by name. */
function positionsOf(entries: readonly { id: number; name: string }[], values: readonly string[]): number[] {
  const wanted = new Set(values.map((value) => value.trim().toLowerCase()));
  return entries.flatMap((entry, position) =>
    wanted.has(String(entry.id)) || wanted.has(entry.name.toLowerCase()) ? [position] : [],
  );
}

/**
 * Keeps companies whose first, second or third industry is one of the given industries. `positions` are positions in
 * ACTIVITIES.
 */
function keepIndustries(rows: Rows, columns: Columns, positions: readonly number[]): void {
  keepCodesOfAny(rows, columns.industry, flags(positions));
}

function keepNationalCodes(rows: Rows, columns: Columns, scheme: string, codes: readonly string[]): void {
  const tables = MARKET_COUNTRIES.map(({ sicScheme }, country) =>
    sicScheme === scheme
      ? Uint8Array.from(nationalCodesOf(country), (code) => (codes.includes(code) ? 1 : 0))
      : undefined,
  );
  keepCodesByCountry(rows, columns.country, columns.nace, tables);
}

/**
 * Returns the first and last unix day that the filter `company_incorporation` selects. Returns null when a bound has
 * the wrong format and `incorporationPolicy` is `empty`.
 *
 * @throws FilterError for a bound of the wrong format when the policy is `refuse`
 */
function readIncorporation(value: IncorporationRange, rules: FilterRules): [gte: number, lte: number] | null {
  const unitOf = rules.incorporation === 'year' ? yearIn : dayIn;
  const [from, to] = [value.gte, value.lte].map((bound) => (bound === undefined ? undefined : unitOf(String(bound))));
  if (from === null || to === null) {
    if (rules.incorporationPolicy === 'empty') return null;
    const wrong = String(from === null ? value.gte : value.lte);
    const wanted = rules.incorporation === 'year' ? 'a year' : 'a date: use YYYY-MM-DD';
    throw new FilterError('company_incorporation', `"${wrong}" is not ${wanted}.`);
  }
  const [first, last] = inclusive(from, to, rules.bounds);
  return rules.incorporation === 'year' ? spanOfYears(first, last) : [first, last];
}

function yearIn(text: string): number | null {
  return /^\d{4}$/.test(text) ? Number(text) : null;
}

function dayIn(text: string): number | null {
  return fromIso(text) ?? null;
}
