import {
  SIC_CODE_FILTERS,
  type IncorporationRange,
  type NumberRange,
  type ProspectingFilters,
  type TurnoverRange,
} from '../../../schemas/v2/prospecting.js';
import { fromIso, spanOfYears } from '../calendar.js';
import { readVersions, Versions } from '../changes.js';
import { classesUnder, nationalCodesOf } from '../classification.js';
import { HAS, NO_BYTE, NO_INT, NO_ZIP, type Columns } from '../columns.js';
import { indexOfAddress } from '../contacts.js';
import type { Context } from '../context.js';
import { MARKET_COUNTRIES, USD_PER } from '../data/market-countries.js';
import { ACTIVITIES } from '../data/nomenclatures.js';
import { TECHNOLOGIES } from '../data/technologies.js';
import { keywordsOf, rankingOf, technologiesOf, VISIT_BANDS, visitsOf } from '../insights.js';
import { cityOf, foundedOn } from '../traits.js';
import { FilterError } from './filter-error.js';
import { keepCities, keepPlaces, keepZips } from './locations.js';
import {
  flags,
  keepAllBits,
  keepAnyBit,
  keepBytes,
  keepCodes,
  keepDoubles,
  keepInts,
  keepWhere,
  type Mask,
} from './mask.js';
import { inclusive, type FilterRules } from './rules.js';

/** What a filter works on. */
export interface FilterScope {
  ctx: Context;
  columns: Columns;
  rules: FilterRules;
}

type Apply<K extends keyof ProspectingFilters> = (
  mask: Mask,
  value: NonNullable<ProspectingFilters[K]>,
  scope: FilterScope,
) => void;

/** Narrows a mask by every filter given. Throws FilterError for a value that cannot be applied. */
export function applyProspectingFilters(mask: Mask, filters: ProspectingFilters, scope: FilterScope): void {
  for (const [key, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const apply = APPLY[key as keyof ProspectingFilters] as Apply<keyof ProspectingFilters>;
    apply(mask, value, scope);
  }
}

type NumberColumn = {
  [K in keyof Columns]: Columns[K] extends Float64Array ? K : never;
}[keyof Columns];

function range(column: NumberColumn): (mask: Mask, value: NumberRange, scope: FilterScope) => void {
  return (mask, value, { columns, rules }) =>
    keepDoubles(mask, columns[column], ...inclusive(value.gte, value.lte, rules.bounds));
}

/** Whether the website of a company is there on the columns' day. */
function withWebsite(mask: Mask, columns: Columns): void {
  keepAnyBit(mask, columns.has, HAS.website);
}

const sicFilters = Object.fromEntries(
  SIC_CODE_FILTERS.map((scheme) => [
    scheme,
    (mask: Mask, codes: string[], { columns }: FilterScope) => keepNationalCodes(mask, columns, scheme, codes),
  ]),
) as { [K in (typeof SIC_CODE_FILTERS)[number]]: Apply<K> };

const APPLY: { [K in keyof Required<ProspectingFilters>]: Apply<K> } = {
  ...sicFilters,
  company_status: (mask, ids, { columns }) => keepBytes(mask, columns.status, flags(ids.map((id) => id - 199))),
  number_of_employees: (mask, value, { columns, rules }) =>
    keepInts(mask, columns.employees, ...inclusive(value.gte, value.lte, rules.bounds), NO_INT),
  trading_activity: (mask, values, { columns }) => {
    const wanted = values.map((value) => value.toLowerCase());
    const bits = TRADING_ACTIVITIES.reduce((sum, name, bit) => (wanted.includes(name) ? sum | (1 << bit) : sum), 0);
    keepAnyBit(mask, columns.trading, bits);
  },
  activity_type: (mask, ids, { columns }) =>
    keepAnyBit(
      mask,
      columns.activityTypes,
      ids.reduce((bits, id) => (id >= 1 && id <= 3 ? bits | (1 << (id - 1)) : bits), 0),
    ),
  company_type: (mask, ids, { columns }) => keepBytes(mask, columns.companyType, flags(ids)),
  company_incorporation: (mask, value, { columns, rules }) => {
    const bounds = readIncorporation(value, rules);
    if (bounds === null) mask.fill(0);
    else keepInts(mask, columns.founded, ...bounds, NO_INT);
  },
  legal_form: (mask, ids, { columns }) => keepBytes(mask, columns.legalForm, flags(ids)),
  industry_focus: (mask, values, { columns }) => {
    keepIndustries(mask, columns, positionsOf(ACTIVITIES, values));
  },
  website_keywords: (mask, words, { columns }) => {
    withWebsite(mask, columns);
    const wanted = words.map((word) => word.trim().toLowerCase());
    const hits = ACTIVITIES.flatMap((_, position) =>
      keywordsOf([position]).some((word) => wanted.includes(word)) ? [position] : [],
    );
    keepIndustries(mask, columns, hits);
  },
  nace: (mask, codes, { columns }) => keepCodes(mask, columns.nace, classesUnder(codes, 'nace')),
  isic: (mask, codes, { columns }) => keepCodes(mask, columns.nace, classesUnder(codes, 'isic')),
  location_regions: (mask, value, { columns }) => keepPlaces(mask, columns, 'location_regions', value),
  location_countries: (mask, value, { columns }) => keepPlaces(mask, columns, 'location_countries', value),
  location_zip: (mask, texts, { columns }) => keepZips(mask, columns, texts),
  location_type: (mask, texts, { ctx, columns }) => {
    const versions = new Versions();
    // The city goes with the postcode; where a country has none, it is drawn.
    keepCities(mask, columns, texts, (i) => {
      const zip = columns.zip[i]!;
      if (zip !== NO_ZIP) return zip % MARKET_COUNTRIES[columns.country[i]!]!.cities.length;
      return cityOf(ctx, i, readVersions(ctx, i, foundedOn(ctx, i), columns.day, versions));
    });
  },
  financial_currency: (mask, codes, { columns }) => {
    const wanted = new Set(codes.map((code) => code.toUpperCase()));
    keepAnyBit(mask, columns.has, HAS.financials);
    keepBytes(mask, columns.country, flags(countryPositions((country) => wanted.has(country.currency))));
  },
  financial_turnover: (mask, value: TurnoverRange, { columns, rules }) => {
    const usd = USD_PER[value.currency ?? 'USD']!;
    const inUsd = (bound: number | undefined): number | undefined => (bound === undefined ? undefined : bound * usd);
    keepDoubles(mask, columns.turnover, ...inclusive(inUsd(value.gte), inUsd(value.lte), rules.bounds));
  },
  financial_profit: range('profit'),
  financial_liabilities: range('liabilities'),
  // "array of int": taken as [at least] or [at least, at most].
  financial_directors: (mask, [gte, lte, ...rest], { columns, rules }) => {
    if (rest.length > 0) throw new FilterError('financial_directors', 'Ensure this field has no more than 2 elements.');
    keepDoubles(mask, columns.directors, ...inclusive(gte, lte, rules.bounds));
  },
  financial_employee_profit: range('employeeProfit'),
  financial_exports: range('exports'),
  foreign_parents: (mask, value, { columns }) => {
    const text = value.toLowerCase();
    const all = MARKET_COUNTRIES.map((_, position) => position);
    const wanted =
      { yes: all, no: [NO_BYTE] }[text] ?? countryPositions((country) => country.code.toLowerCase() === text);
    keepBytes(mask, columns.foreignParent, flags(wanted));
  },
  ownership_accounts: (mask, value, { columns }) => {
    const wanted = /^(yes|consolidated)$/i.test(value) ? HAS.consolidated : 0;
    keepAnyBit(mask, columns.has, HAS.financials);
    keepWhere(mask, (i) => (columns.has[i]! & HAS.consolidated) === wanted);
  },
  insights_visits: (mask, names, { ctx, columns }) => {
    withWebsite(mask, columns);
    const bands = VISIT_BANDS.filter(([name]) => names.includes(name));
    keepWhere(mask, (i) => {
      const visits = visitsOf(ctx, i);
      return bands.some(([, from, to]) => visits >= from && visits <= to);
    });
  },
  insights_technologies: (mask, values, { ctx, columns }) => {
    withWebsite(mask, columns);
    const wanted = new Set(positionsOf(TECHNOLOGIES, values).map((position) => TECHNOLOGIES[position]!.id));
    keepWhere(mask, (i) => technologiesOf(ctx, i).some((id) => wanted.has(id)));
  },
  insights_ranking: (mask, value, { ctx, columns, rules }) => {
    withWebsite(mask, columns);
    const [gte, lte] = inclusive(value.gte, value.lte, rules.bounds);
    keepWhere(mask, (i) => {
      const ranking = rankingOf(ctx, i);
      return ranking >= gte && ranking <= lte;
    });
  },
  advance_companies: (mask, conditions, { columns }) => {
    for (const condition of conditions) {
      const bit = COMPANY_CONDITIONS[condition];
      if (bit === undefined) {
        throw new FilterError(
          'advance_companies',
          `"${condition}" is not one of ${Object.keys(COMPANY_CONDITIONS).join(', ')}.`,
        );
      }
      keepAllBits(mask, columns.has, bit);
    }
  },
  yoy_exports: range('yoyExports'),
  yoy_liabilities: range('yoyLiabilities'),
  yoy_staff: range('yoyStaff'),
  yoy_turnover: range('yoyTurnover'),
  yoy_ebitda: range('yoyEbitda'),
  yoy_profit: range('yoyProfit'),
  pronet: (mask, url, { ctx, columns }) => {
    const index = indexOfAddress(ctx, url);
    keepAnyBit(mask, columns.has, HAS.profile);
    keepWhere(mask, (i) => i === index);
  },
};

/** Values of `trading_activity`, in the order of the column's bits. */
export const TRADING_ACTIVITIES = ['import', 'export'] as const;

/** "extra company conditions": the reference shows no values; these are this sandbox's. */
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

/** Positions of entries named by id or by name. */
function positionsOf(entries: readonly { id: number; name: string }[], values: readonly string[]): number[] {
  const wanted = new Set(values.map((value) => value.trim().toLowerCase()));
  return entries.flatMap((entry, position) =>
    wanted.has(String(entry.id)) || wanted.has(entry.name.toLowerCase()) ? [position] : [],
  );
}

/** Companies with one of the industries, given by position in ACTIVITIES, as their first, second or third. */
function keepIndustries(mask: Mask, columns: Columns, positions: readonly number[]): void {
  const wanted = flags(positions);
  const [first, second, third] = columns.industry;
  keepWhere(mask, (i) => (wanted[first[i]!]! | wanted[second[i]!]! | wanted[third[i]!]!) === 1);
}

function keepNationalCodes(mask: Mask, columns: Columns, scheme: string, codes: readonly string[]): void {
  keepBytes(mask, columns.country, flags(countryPositions((country) => country.sicScheme === scheme)));
  const wanted = MARKET_COUNTRIES.map((_, country) => nationalCodesOf(country).map((code) => codes.includes(code)));
  keepWhere(mask, (i) => wanted[columns.country[i]!]![columns.nace[i]!]!);
}

/** First and last unix day; null where bounds of the wrong kind find nothing. */
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
