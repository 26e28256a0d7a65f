import { SIC_CODE_FILTERS, type ProspectingFilters } from '../../schemas/v2/prospecting.js';
import { COUNTRIES } from '../../sandbox/world/data/country-ids.js';
import { ISO_COUNTRIES } from '../../sandbox/world/data/iso-countries.js';
import { USD_PER } from '../../sandbox/world/data/market-countries.js';
import { VISIT_BANDS } from '../../sandbox/world/insights.js';
import { ACTIVITIES } from '../../sandbox/world/data/nomenclatures.js';
import type { Profile } from '../../sandbox/world/index.js';

/** Whether a company matches filters, written again from the reference's table for one company at a time. */
export function holds(profile: Profile, filters: ProspectingFilters): boolean {
  return Object.entries(filters).every(([key, value]) => CHECKS[key]!(profile, value as never));
}

interface Range {
  gte?: number;
  lte?: number;
}

function within(value: number | null | undefined, range: Range): boolean {
  if (value === null || value === undefined || Number.isNaN(value)) return false;
  return (range.gte === undefined || value >= range.gte) && (range.lte === undefined || value <= range.lte);
}

const countryId = (code: string): number => COUNTRIES.find(({ short_name }) => short_name === code)!.id;
const regionId = (code: string): number => ISO_COUNTRIES.find(([country]) => country === code)![2];
/** The last part of an id that joins parent ids with underscores. */
const ownId = (id: string): number => Number(id.split('_').at(-1));

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

type Check = (profile: Profile, value: never) => boolean;

const nationalCodes = Object.fromEntries(
  SIC_CODE_FILTERS.map((scheme): [string, Check] => [
    scheme,
    (p, codes: string[]) => p.nationalCode?.scheme === scheme && codes.includes(p.nationalCode.code),
  ]),
);

const CHECKS: Record<string, Check> = {
  ...nationalCodes,
  company_status: (p, ids: number[]) => ids.includes(p.status),
  number_of_employees: (p, range: Range) => within(p.employees, range),
  trading_activity: (p, values: string[]) =>
    (p.imports && values.includes('import')) || (p.exporter && values.includes('export')),
  activity_type: (p, ids: number[]) => p.activityTypes.some((id) => ids.includes(id)),
  company_type: (p, ids: number[]) => ids.includes(p.companyType),
  company_incorporation: (p, { gte, lte }: { gte?: string; lte?: string }) =>
    p.incorporation !== null &&
    (gte === undefined || p.incorporation >= gte) &&
    (lte === undefined || p.incorporation <= lte),
  legal_form: (p, ids: number[]) => ids.includes(p.legalForm),
  industry_focus: (p, values: string[]) =>
    p.industries.some(
      (id) => values.includes(String(id)) || values.includes(ACTIVITIES.find((entry) => entry.id === id)!.name),
    ),
  website_keywords: (p, words: string[]) => p.website?.keywords.some((word) => words.includes(word)) ?? false,
  nace: (p, codes: string[]) => codes.some((code) => plain(p.nace).startsWith(plain(code))),
  isic: (p, codes: string[]) => codes.some((code) => p.isic.startsWith(plain(code))),
  location_regions: (p, { include }: { include: string[] }) => include.some((id) => ownId(id) === regionId(p.country)),
  location_countries: (p, { include }: { include: string[] }) =>
    include.some((id) => ownId(id) === countryId(p.country)),
  location_zip: (p, zips: string[]) => p.zip !== null && zips.map(plain).includes(plain(p.zip)),
  location_type: (p, names: string[]) => names.includes(p.city) || (p.region !== null && names.includes(p.region)),
  financial_currency: (p, codes: string[]) => p.currency !== null && codes.includes(p.currency),
  financial_turnover: (p, { currency, ...range }: Range & { currency?: string }) =>
    within(p.figures.turnover / USD_PER[currency ?? 'USD']!, range),
  financial_profit: (p, range: Range) => within(p.figures.profit, range),
  financial_liabilities: (p, range: Range) => within(p.figures.liabilities, range),
  financial_directors: (p, [gte, lte]: number[]) =>
    within(p.figures.directors, { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) }),
  financial_employee_profit: (p, range: Range) =>
    within(p.employees === null ? null : p.figures.profit / p.employees, range),
  financial_exports: (p, range: Range) => within(p.figures.exports, range),
  foreign_parents: (p, value: string) =>
    value === 'yes' ? p.foreignParent !== null : value === 'no' ? p.foreignParent === null : p.foreignParent === value,
  ownership_accounts: (p, value: string) => p.consolidated === (value === 'yes'),
  insights_visits: (p, names: string[]) =>
    VISIT_BANDS.some(([name, gte, lte]) => names.includes(name) && within(p.website?.visits, { gte, lte })),
  insights_technologies: (p, ids: string[]) => p.website?.technologies.some((id) => ids.includes(String(id))) ?? false,
  insights_ranking: (p, range: Range) => within(p.website?.ranking, range),
  advance_companies: (p, conditions: string[]) =>
    conditions.every((condition) =>
      condition === 'has_financials' ? p.currency !== null : p.reachableBy.includes(condition.replace('has_', '')),
    ),
  yoy_exports: (p, range: Range) => within(p.figures.yoyExports, range),
  yoy_liabilities: (p, range: Range) => within(p.figures.yoyLiabilities, range),
  yoy_ebitda: (p, range: Range) => within(p.figures.yoyEbitda, range),
  yoy_turnover: (p, range: Range) => within(p.figures.yoyTurnover, range),
  yoy_profit: (p, range: Range) => within(p.figures.yoyProfit, range),
};
