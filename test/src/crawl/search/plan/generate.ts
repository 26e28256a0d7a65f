import { generator, skewed } from '../../../../../bench/planner/random.js';
import type { Company } from './simulated-market.js';

export interface MarketShape {
  companies: number;
  seed: number;
  /** Shares of companies without these values, between 0 and 1. */
  withoutIncorporation?: number;
  withoutLegalForm?: number;
  withoutEmployees?: number;
  withoutTurnover?: number;
  /** Share of companies that were incorporated on one single day. */
  spike?: number;
  /** Number of legal forms and of countries. Most companies have one of the first few. */
  legalForms?: number;
  countries?: number;
  firstYear?: number;
}

const DAY = 86_400_000;

/** A realistically skewed market: growth over decades, quiet weekends, few values that hold most companies. */
export function generateCompanies(shape: MarketShape): Company[] {
  const random = generator(shape.seed);
  const { legalForms = 13, countries = 30, firstYear = 1950 } = shape;
  const first = Date.UTC(firstYear, 0, 1) / DAY;
  const last = Date.UTC(2026, 10, 20) / DAY;
  const spikeDay = Date.UTC(2014, 2, 31) / DAY;
  const companies: Company[] = [];
  for (let id = 1; id <= shape.companies; id++) {
    let incorporated = Math.floor(last - (last - first) * random() ** 2.2);
    if (incorporated % 7 < 2 && random() < 0.9) incorporated += 2; // few companies are registered at a weekend
    if (random() < (shape.spike ?? 0)) incorporated = spikeDay;
    companies.push({
      id: id * 7 + 100_000,
      status: [199, 200, 201][skewed(random, 3)]!,
      legalForm: random() < (shape.withoutLegalForm ?? 0) ? null : skewed(random, legalForms) + 2,
      country: skewed(random, countries) + 1,
      activities: [1, 2, 3].filter((_, i) => random() < [0.5, 0.3, 0.6][i]!),
      incorporated: random() < (shape.withoutIncorporation ?? 0) ? null : Math.min(incorporated, last),
      employees: random() < (shape.withoutEmployees ?? 0.4) ? null : Math.floor(Math.exp(random() ** 2 * 10)),
      turnover: random() < (shape.withoutTurnover ?? 0.55) ? null : Math.round(Math.exp(8 + random() * 12) * 100) / 100,
    });
    const company = companies.at(-1)!;
    if (company.activities.length === 0) company.activities.push(3);
  }
  return companies;
}
