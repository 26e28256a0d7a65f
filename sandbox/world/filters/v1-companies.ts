import type { FromTo, V1CompanyFilters } from '../../../schemas/v1/company.js';
import type { ProspectingFilters } from '../../../schemas/v2/prospecting.js';
import { spanOfYears } from '../calendar.js';
import { nationalCodesOf } from '../classification.js';
import { HAS, NO_INT } from '../columns.js';
import { indexOfAddress } from '../contacts.js';
import { MARKET_COUNTRIES } from '../data/market-countries.js';
import { indexOfRegistration, indexOfVat, isSpelledAs } from '../registration.js';
import { keepAnyBit, keepBits, keepCodesByCountry, keepInts, keepOnly, keepWhere, type Rows } from './rows.js';
import { applyProspectingFilters, type FilterScope } from './prospecting.js';
import { inclusive } from './rules.js';

/** Data that version 1 filters need in addition to `FilterScope`. */
export interface V1Scope extends FilterScope {
  /** Returns the company names in lower case, by company index. */
  names: () => readonly string[];
  /** Returns the registration and VAT number of a company on the day of the search. */
  numbersOf: (index: number) => { registration: string; vat: string | null };
}

/**
 * Keeps companies that match all version 1 filters. Converts most filters to a filter of version 2 with another name.
 * An empty list means no condition, like a missing one.
 */
export function applyV1CompanyFilters(rows: Rows, filters: V1CompanyFilters, scope: V1Scope): void {
  applyProspectingFilters(rows, asProspecting(filters), scope);
  const { columns, ctx, rules } = scope;
  keepNamed(rows, filters.name, scope);
  keepNumbered(rows, filters.registration_number, indexOfRegistration, (i, text) => {
    return scope.numbersOf(i).registration === text.trim().toUpperCase();
  });
  keepNumbered(
    rows,
    filters.vat_number,
    (text) => indexOfVat(ctx, text),
    (i, text) => {
      return isSpelledAs(ctx, text, scope.numbersOf(i).vat);
    },
  );
  keepTrading(rows, filters.trading_activity_import, 1, scope);
  keepTrading(rows, filters.trading_activity_export, 2, scope);
  keepSic(rows, filters.sic_code, scope);
  if (filters.year_of_founding) {
    const { from, to } = filters.year_of_founding;
    keepInts(rows, columns.founded, ...spanOfYears(...inclusive(from, to, rules.bounds)), NO_INT);
  }
  if (filters.website_monthly_visits) {
    const [from, to] = inclusive(filters.website_monthly_visits.from, filters.website_monthly_visits.to, rules.bounds);
    keepAnyBit(rows, columns.has, HAS.website);
    keepInts(rows, columns.visits, from, to, NO_INT);
  }
  keepAddressed(rows, filters.domain, HAS.website, scope);
  keepAddressed(rows, filters.emails, HAS.email, scope);
}

function asProspecting(filters: V1CompanyFilters): ProspectingFilters {
  const given: ProspectingFilters = {
    company_status: listOf(filters.status),
    number_of_employees: rangeOf(filters.size),
    activity_type: listOf(filters.activity_type),
    industry_focus: listOf(filters.industry?.map(String)),
    location_regions: selectionOf(filters.regions),
    location_countries: selectionOf(filters.country),
    location_type: listOf(filters.city_or_state),
    location_zip: listOf(filters.zip),
    financial_turnover: rangeOf(filters.turnover),
    financial_profit: rangeOf(filters.net_profit),
    financial_liabilities: rangeOf(filters.total_liabilities),
    financial_directors: filters.director_remuneration && boundsOf(filters.director_remuneration),
    financial_employee_profit: rangeOf(filters.profit_per_employee),
    financial_exports: rangeOf(filters.exports),
    legal_form: listOf(filters.ownership_type),
    company_type: listOf(filters.subsidiary_status),
    insights_technologies: listOf(filters.used_technologies?.map(String)),
    insights_ranking: rangeOf(filters.site_ranking),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function listOf<T>(list: T[] | undefined): T[] | undefined {
  return list?.length === 0 ? undefined : list;
}

function rangeOf(range: FromTo | undefined): { gte?: number; lte?: number } | undefined {
  if (range === undefined) return undefined;
  const { from, to } = range;
  return { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lte: to }) };
}

function boundsOf({ from, to }: FromTo): number[] {
  return [from ?? -Infinity, to ?? Infinity];
}

function selectionOf(ids: number[] | undefined): { include: number[] } | undefined {
  return ids === undefined || ids.length === 0 ? undefined : { include: ids };
}

/** Keeps companies whose name contains one of the texts. Case makes no difference. */
function keepNamed(rows: Rows, texts: string[] | undefined, scope: V1Scope): void {
  const wanted = texts?.map((text) => text.trim().toLowerCase()).filter((text) => text !== '') ?? [];
  if (wanted.length === 0) return;
  const names = scope.names();
  keepWhere(rows, (i) => wanted.some((text) => names[i]!.includes(text)));
}

function keepNumbered(
  rows: Rows,
  numbers: string[] | undefined,
  indexOf: (text: string) => number | undefined,
  has: (index: number, text: string) => boolean,
): void {
  if (numbers === undefined || numbers.length === 0) return;
  keepOnly(
    rows,
    numbers.map(indexOf).filter((index) => index !== undefined),
  );
  keepWhere(rows, (i) => numbers.some((text) => has(i, text)));
}

function keepTrading(rows: Rows, flag: boolean | undefined, bit: number, { columns }: V1Scope): void {
  if (flag === undefined) return;
  keepBits(rows, columns.trading, bit, flag ? bit : 0);
}

/**
 * Keeps companies whose national industry code is one of the given codes. A given code applies to every country that has
 * such a code. The filter contains numbers, so leading zeros of a code make no difference.
 */
function keepSic(rows: Rows, codes: number[] | undefined, { columns }: V1Scope): void {
  if (codes === undefined || codes.length === 0) return;
  const tables = MARKET_COUNTRIES.map(({ sicScheme }, country) =>
    sicScheme === null
      ? undefined
      : Uint8Array.from(nationalCodesOf(country), (code) => (codes.includes(Number.parseInt(code, 10)) ? 1 : 0)),
  );
  keepCodesByCountry(rows, columns.country, columns.nace, tables);
}

/** Keeps companies to which one of the domains or e-mail addresses belongs. */
function keepAddressed(rows: Rows, addresses: string[] | undefined, bit: number, { ctx, columns }: V1Scope): void {
  if (addresses === undefined || addresses.length === 0) return;
  keepAnyBit(rows, columns.has, bit);
  const owners = addresses.map((address) => indexOfAddress(ctx, address));
  keepOnly(
    rows,
    owners.filter((index) => index !== undefined),
  );
}
