import { invalid, notFound } from './answers.js';
import { FORM_NAMES, writeId, writeRecord, type StubCompany } from './companies.js';
import { writeReport } from './financials.js';
import { Digits } from './json.js';
import type { Answer, Asked, StubState } from './state.js';

/** The company record of version 1. Some companies have a website or a form of the registration number of its own. */
export function writeRecordV1(company: StubCompany, { options, turn }: StubState): Record<string, unknown> {
  const odd = company.place % 2 === 1;
  const count = company.employees === null ? null : String(company.employees);
  return {
    id: writeId(company, options.ids, turn),
    name: odd ? company.name : `  ${company.name.toUpperCase()}`,
    company_phone: company.phones.join('; ') || null,
    company_email: company.emails.length > 0 ? company.emails.join(' ') : undefined,
    company_fax: null,
    company_website: websiteV1(company),
    company_legal_form: FORM_NAMES[company.form],
    brands: company.brands.length > 0 && odd ? company.brands.toReversed() : company.brands.join(','),
    country_name: company.country.name,
    country_short_name: company.country.code.toLowerCase(),
    size: count === null || odd ? count : new Digits(count),
    // A number loses its leading zeros.
    registration_number: odd ? company.registration : new Digits(String(Number(company.registration))),
    vat_number: company.vat,
    founding_date: company.founded ?? '',
    trust: { level: company.place },
  };
}

/** The website that version 1 states: for every second company that has one, an older one. */
export function websiteV1({ website, place }: StubCompany): string | null {
  return website !== null && place % 2 === 0 ? `old.${website}` : website;
}

/** The ticker of a company: one company in six has one. */
export function tickerOf({ place }: StubCompany): string | null {
  return place % 6 === 1 ? `ST${place}.X` : null;
}

/** Whether the answer for a ticker is a list of years, which no reader can know. */
export function isListed({ place }: StubCompany): boolean {
  return place % 5 === 2;
}

/** The daily figures of the contact metrics. */
export function contactsOn(day: string): { emails: number; phones: number } {
  const number = Number(day.replaceAll('-', ''));
  return { emails: number % 97, phones: number % 13 };
}

/** Reports by ticker, contact metrics, and companies by ticker; null for other paths. */
export function answerSources(state: StubState, { path, query, body }: Asked): Answer | null {
  switch (path) {
    case '/v2/financial/ticker':
      return reportByTicker(state, query.get('ticker') ?? '');
    case '/v2/metrics/contacts':
      return contactMetrics(state, query);
    case '/v2/autocomplete':
    case '/v2/enrichment/company': {
      const company = withTicker(state, body['ticker']);
      if (company === undefined) return notFound(state);
      return { status: 200, body: writeRecord(company, state.options.ids, state.turn) };
    }
    default:
      return null;
  }
}

function withTicker({ companies }: StubState, ticker: unknown): StubCompany | undefined {
  return companies.find((company) => tickerOf(company) === ticker && !company.gone);
}

/** A report below `data` or below the ticker, or a list of years. */
function reportByTicker(state: StubState, ticker: string): Answer {
  const company = withTicker(state, ticker);
  if (company === undefined) return notFound(state);
  const report = writeReport(company);
  if (isListed(company)) {
    const years = Object.entries(report).map(([year, values]) => ({ year, ...values }));
    return { status: 200, body: { ticker, reports: years } };
  }
  const about = { company: company.id, currency_of_quote: 'DKK' };
  return { status: 200, body: company.place % 4 === 1 ? { ...about, data: report } : { [ticker]: report } };
}

function contactMetrics(state: StubState, query: URLSearchParams): Answer {
  const [from, to] = [query.get('date_from') ?? '', query.get('date_to') ?? ''];
  const form = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
  if (!form.test(from)) return invalid(state, 'date_from', 'Datetime has wrong format.');
  if (!form.test(to)) return invalid(state, 'date_to', 'Datetime has wrong format.');
  const { emails, phones } = contactsOn(from.slice(0, 10));
  return { status: 200, body: { phone_count: String(phones), email_count: new Digits(String(emails)), since: from } };
}
