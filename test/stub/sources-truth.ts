import { FORM_NAMES, type StubCompany } from './companies.js';
import { valuesOf } from './financials.js';
import { contactsOn, isListed, tickerOf, websiteV1 } from './sources.js';
import type { StubState } from './state.js';
import { holdable, type Truth } from './truth.js';

function present(state: StubState): StubCompany[] {
  return holdable(state).filter(({ gone }) => !gone);
}

/** Company records of version 1. */
export function companiesV1Truth(state: StubState): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS id, name, country_code, country_name, registration_number, vat_number, legal_form, website,
        coalesce(phones, []) AS phones, coalesce(emails, []) AS emails, list_sort(coalesce(brands, [])) AS brands, size_text,
        employees_min, employees_max, founding_date::VARCHAR AS founded, extra ->> '$.trust.level' AS trust, is_gone
      FROM core.companies_v1 ORDER BY company_id`,
    rows: present(state).map((company) => {
      const odd = company.place % 2 === 1;
      return {
        id: company.id,
        name: odd ? company.name : company.name.toUpperCase(),
        country_code: company.country.code,
        country_name: company.country.name,
        registration_number: odd ? company.registration : String(Number(company.registration)),
        vat_number: company.vat,
        legal_form: FORM_NAMES[company.form],
        website: websiteV1(company),
        phones: company.phones,
        emails: company.emails,
        brands: company.brands.toSorted(),
        size_text: company.employees === null ? null : String(company.employees),
        employees_min: company.employees,
        employees_max: company.employees,
        founded: company.founded,
        trust: String(company.place),
        is_gone: false,
      };
    }),
  };
}

/** The fields on which version 1 and version 2 differ: only websites do. */
export function companiesDisagreementTruth(state: StubState): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS id, field, v2_value, v1_value FROM marts.companies_disagreement ORDER BY company_id, field`,
    rows: present(state)
      .filter((company) => websiteV1(company) !== company.website)
      .map((company) => ({
        id: company.id,
        field: 'website',
        v2_value: company.website,
        v1_value: websiteV1(company),
      })),
  };
}

/** Tickers of companies with a readable report, with their countries, and of companies with a list of years. */
export function tickersOf(state: StubState): {
  readable: { ticker: string; country: string }[];
  unreadable: string[];
} {
  const all = present(state).flatMap((company) => {
    const ticker = tickerOf(company);
    return ticker === null ? [] : [{ ticker, country: company.country.code, listed: isListed(company) }];
  });
  return {
    readable: all.filter(({ listed }) => !listed).map(({ ticker, country }) => ({ ticker, country })),
    unreadable: all.filter(({ listed }) => listed).map(({ ticker }) => ticker),
  };
}

/** Values of the reports of these tickers. */
export function tickerFinancialsTruth(state: StubState, tickers: readonly string[]): Truth {
  return {
    sql: `SELECT ticker, fiscal_year AS year, indicator, value_double AS number, value_text AS text FROM core.ticker_financials
      ORDER BY ticker, fiscal_year, indicator`,
    rows: present(state)
      .filter((company) => tickers.includes(tickerOf(company) ?? '') && !isListed(company))
      .toSorted((a, b) => (tickerOf(a)! < tickerOf(b)! ? -1 : 1))
      .flatMap((company) =>
        valuesOf(company)
          .toSorted((a, b) => a.year - b.year || (a.indicator < b.indicator ? -1 : 1))
          .map(({ number, ...value }) => ({
            ticker: tickerOf(company),
            ...value,
            // JSON has no minus zero.
            number: number === null ? null : number + 0,
          })),
      ),
  };
}

/** Contact metrics of some days, in order. */
export function contactMetricsTruth(days: readonly string[]): Truth {
  return {
    sql: `SELECT date::VARCHAR AS day, email_count::INTEGER AS emails, phone_count::INTEGER AS phones FROM ops.contact_metrics ORDER BY date`,
    rows: days.map((day) => ({ day, ...contactsOn(day) })),
  };
}
