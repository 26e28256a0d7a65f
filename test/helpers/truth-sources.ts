import { expect } from 'vitest';
import { tickerOf } from '../../sandbox/world/lookups.js';
import { indexOf } from '../../sandbox/world/membership.js';
import { TRUTH_TABLES } from '../../sandbox/world/truth.js';
import { v1Company } from '../../sandbox/world/v1/company.js';
import type { Project } from './project.js';
import { financialRows, truthOf, type MarketFlags } from './truth.js';

const COMPANIES_V1 = `
  SELECT company_id::VARCHAR AS id, name, country_code, country_name, registration_number, vat_number, legal_form, website,
    phone_text, coalesce(phones, []) AS phones, coalesce(emails, []) AS emails, coalesce(faxes, []) AS faxes,
    coalesce(brands, []) AS brands, address_street, address_location, country_region, zip_code, size_text,
    founding_date::VARCHAR AS founding_date, is_gone
  FROM core.companies_v1 ORDER BY company_id`;

/** Compares published company records of version 1 row for row with the sandbox. There, both versions agree. */
export async function expectCompaniesV1EqualTruth(project: Project, flags: MarketFlags, day: number): Promise<void> {
  const world = truthOf(flags);
  const text = (value: string | number | null | undefined): string | null => String(value ?? '').trim() || null;
  const texts = (value: string | null): string[] => (value === null ? [] : [value]);
  const rows = world.companyIds(day).flatMap((id) => {
    const record = world.company(id, day);
    if (record === undefined) return [];
    const said = v1Company(record);
    return [
      {
        id: String(id),
        name: text(said.name),
        country_code: text(said.country_short_name),
        country_name: text(said.country_name),
        registration_number: text(said.registration_number),
        vat_number: text(said.vat_number),
        legal_form: text(said.company_legal_form),
        website: text(said.company_website),
        phone_text: text(said.company_phone),
        phones: texts(text(said.company_phone)),
        emails: texts(text(said.company_email)),
        faxes: texts(text(said.company_fax)),
        brands: (said.brands ?? '').split(',').flatMap((brand) => texts(text(brand))),
        address_street: text(said.address_street),
        address_location: text(said.address_location),
        country_region: text(said.country_region),
        zip_code: text(said.zip_code),
        size_text: text(said.size),
        founding_date: text(said.founding_date),
        is_gone: false,
      },
    ];
  });
  expect(rows.length).toBeGreaterThan(0);
  expect(await project.query(COMPANIES_V1)).toEqual(rows);
  expect(await project.query('FROM marts.companies_disagreement')).toEqual([]);
}

interface Listed {
  id: number;
  ticker: string;
  country: string;
}

function listed(flags: MarketFlags, day: number): Listed[] {
  const world = truthOf(flags);
  return world.companyIds(day).flatMap((id) => {
    const ticker = tickerOf(world.ctx, indexOf(world.ctx, id)!);
    const country = world.company(id, day)?.country_code;
    return ticker === null || !country ? [] : [{ id, ticker, country }];
  });
}

/** Tickers of the market's companies, with their countries. */
export function tickersOf(flags: MarketFlags, day: number): { ticker: string; country: string }[] {
  return listed(flags, day).map(({ ticker, country }) => ({ ticker, country }));
}

/** Compares published values by ticker row for row with the sandbox's reports. */
export async function expectTickersEqualTruth(
  project: Project,
  flags: MarketFlags,
  day: number,
  tickers: readonly string[],
): Promise<void> {
  const world = truthOf(flags);
  const rows = listed(flags, day)
    .filter(({ ticker }) => tickers.includes(ticker))
    .toSorted((a, b) => (a.ticker < b.ticker ? -1 : 1))
    .flatMap(({ id, ticker }) => financialRows(world, id, day).map(({ id: _id, ...value }) => ({ ticker, ...value })));
  expect(rows.length).toBeGreaterThan(0);
  const sql = `SELECT ticker, fiscal_year::INTEGER AS year, indicator, value_double AS number, value_text AS text
    FROM core.ticker_financials ORDER BY ticker, fiscal_year, indicator`;
  expect(await project.query(sql)).toEqual(rows);
}

/** Some executives of version 1, and whether their records have an e-mail address and a phone number. */
export function someExecutives(flags: MarketFlags, day: number): { id: string; email: boolean; phone: boolean }[] {
  const rows = [...TRUTH_TABLES['executives']!.rows(truthOf(flags), { from: day, day })] as Record<string, unknown>[];
  return rows.slice(0, 7).map((row) => ({
    id: String(row['executive_id']),
    email: row['contact_email'] !== null,
    phone: row['contact_phone'] !== null,
  }));
}
