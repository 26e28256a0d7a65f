import { SIC_CODE_FILTERS, YOY_FILTERS, type ProspectingFilters } from '../schemas/v2/prospecting.js';
import { COUNTRIES } from '../sandbox/world/data/country-ids.js';
import { TECHNOLOGIES } from '../sandbox/world/data/technologies.js';
import { Dice } from '../sandbox/world/dice.js';
import { createWorld, type Profile } from '../sandbox/world/index.js';
import { VISIT_BANDS } from '../sandbox/world/insights.js';

type Make<K extends keyof ProspectingFilters> = (profile: Profile, next: () => number) => ProspectingFilters[K];

/** Makes a range around a value, from 5 % to 305 % of the value on each side. Some ranges have only one bound. */
const around = (value: number | null, next: () => number): { gte?: number; lte?: number } => {
  const middle = value === null || Number.isNaN(value) ? 1000 * next() : value;
  const reach = Math.abs(middle) * (0.05 + 3 * next());
  const [gte, lte] = [Math.floor(middle - reach), Math.ceil(middle + reach)];
  return next() < 0.3 ? { gte } : next() < 0.3 ? { lte } : { gte, lte };
};
const countryId = (code: string): number => COUNTRIES.find(({ short_name }) => short_name === code)!.id;

/** A realistic value for every filter; most come from the profile of a company. */
const MAKE: { [K in keyof Required<ProspectingFilters>]: Make<K> } = {
  company_status: (p) => [p.status],
  number_of_employees: (p, next) => around(p.employees, next),
  trading_activity: (_, next) => [next() < 0.5 ? 'import' : 'export'],
  activity_type: (_, next) => [1 + Math.floor(3 * next())],
  company_type: (p) => [p.companyType],
  company_incorporation: (p, next) => {
    const year = Number((p.incorporation ?? '2010').slice(0, 4));
    return { gte: `${year - Math.floor(10 * next())}-01-01`, lte: `${year + Math.floor(10 * next())}-12-31` };
  },
  legal_form: (p) => [p.legalForm],
  industry_focus: (p) => p.industries.map(String),
  website_keywords: (p) => p.website?.keywords ?? ['food', 'media'],
  nace: (p, next) => [p.nace.slice(0, next() < 0.5 ? 2 : 5)],
  isic: (p, next) => [p.isic.slice(0, next() < 0.5 ? 2 : 4)],
  ...(Object.fromEntries(
    SIC_CODE_FILTERS.map((scheme) => [scheme, (p: Profile) => [p.nationalCode?.code ?? '62010', '62010', '6201']]),
  ) as Record<(typeof SIC_CODE_FILTERS)[number], (p: Profile) => string[]>),
  location_regions: (_, next) => ({ include: [1 + Math.floor(7 * next())] }),
  location_countries: (p, next) => ({ [next() < 0.8 ? 'include' : 'exclude']: [countryId(p.country), 1001] }),
  location_zip: (p) => [p.zip ?? '1000', '1000'],
  location_type: (p) => [p.city, p.region ?? 'Bavaria'],
  financial_currency: (p) => [p.currency ?? 'EUR'],
  financial_turnover: (p, next) => ({ ...around(p.figures.turnover, next), currency: 'EUR' }),
  financial_profit: (p, next) => around(p.figures.profit, next),
  financial_liabilities: (p, next) => around(p.figures.liabilities, next),
  financial_directors: (_, next) => [Math.floor(50_000 * next()), Math.floor(100_000 + 900_000 * next())],
  financial_employee_profit: (p, next) => around(p.employees === null ? null : p.figures.profit / p.employees, next),
  financial_exports: (p, next) => around(p.figures.exports, next),
  foreign_parents: (p, next) => (next() < 0.7 ? 'no' : (p.foreignParent ?? 'yes')),
  ownership_accounts: (_, next) => (next() < 0.5 ? 'yes' : 'no'),
  insights_visits: (_, next) => [VISIT_BANDS[Math.floor(VISIT_BANDS.length * next())]![0]],
  insights_technologies: (p, next) => [
    String(p.website?.technologies[0] ?? TECHNOLOGIES[Math.floor(TECHNOLOGIES.length * next())]!.id),
  ],
  insights_ranking: (p, next) => around(p.website?.ranking ?? null, next),
  advance_companies: (_, next) => [next() < 0.5 ? 'has_website' : 'has_email', 'has_phone'],
  ...(Object.fromEntries(
    YOY_FILTERS.map((key) => [key, (_: Profile, next: () => number) => ({ gte: -20 * next(), lte: 40 * next() })]),
  ) as Record<(typeof YOY_FILTERS)[number], (p: Profile, next: () => number) => { gte: number; lte: number }>),
  pronet: () => 'https://pronet.example/company/nobody',
};

/**
 * Returns `count` sets of three different filters: each filter in order, plus two random ones. The same seed gives the
 * same sets.
 */
export function filterTriples(count: number, seed: number): ProspectingFilters[] {
  const world = createWorld({ companies: 5000, tenders: 0, seed, date: '2026-11-20' });
  const profiles = world.companyIds(0).map((id) => world.profile(id, 0)!);
  const dice = new Dice(seed);
  let drawn = 0;
  const next = (): number => dice.unit(0, drawn++);
  const keys = Object.keys(MAKE) as (keyof ProspectingFilters)[];
  return Array.from({ length: count }, (_, n) => {
    const three = new Set([keys[n % keys.length]!]);
    while (three.size < 3) three.add(keys[Math.floor(keys.length * next())]!);
    const profile = profiles[Math.floor(profiles.length * next())]!;
    return Object.fromEntries([...three].map((key) => [key, MAKE[key](profile, next)])) as ProspectingFilters;
  });
}
