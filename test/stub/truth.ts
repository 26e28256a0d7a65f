import { FORM_NAMES, STATUS_NAMES, type StubCompany } from './companies.js';
import { employeesOf, LEVEL_NAMES } from './employees.js';
import { valuesOf } from './financials.js';
import { peopleOf } from './people.js';
import type { StubEvent, StubState } from './state.js';

/*
 * What the warehouse must hold after the crawl, from the stub's data and not from its answers. Each entry is a query on
 * the published file and its expected rows. Ids are text, so that no reader rounds them.
 */

type Row = Record<string, unknown>;
export interface Truth {
  sql: string;
  rows: Row[];
}

/** Companies whose id fits into BIGINT; the others can only be rejects. */
export function holdable({ companies }: Pick<StubState, 'companies'>): StubCompany[] {
  return companies.filter(({ id }) => /^\d+$/.test(id) && BigInt(id) < 2n ** 63n).toSorted(byId);
}

/** Like `holdable`, plus the companies that left: the warehouse keeps their last state. */
function everListed({ companies, departed }: Pick<StubState, 'companies' | 'departed'>): StubCompany[] {
  return holdable({ companies: [...companies, ...departed] });
}

function byId(a: StubCompany, b: StubCompany): number {
  return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
}

export function membersTruth(state: StubState, market: string): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS id FROM marts.market_members
      WHERE market = '${market}' AND date = (SELECT max(date) FROM marts.market_members WHERE market = '${market}')
      ORDER BY company_id`,
    rows: holdable(state).map(({ id }) => ({ id })),
  };
}

export function companiesTruth(state: StubState): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS id, name, has_details, registration_number, country_code, country_name, status, legal_form,
        website, address_city, size_text, vat_number, founding_date::VARCHAR AS founded,
        coalesce(phones, []) AS phones, coalesce(emails, []) AS emails, coalesce(brands, []) AS brands
      FROM core.companies ORDER BY company_id`,
    rows: everListed(state).map((company) => ({
      id: company.id,
      name: company.name,
      has_details: !company.gone,
      ...(company.gone ? NO_DETAILS : details(company)),
    })),
  };
}

const NO_DETAILS: Row = {
  registration_number: null,
  country_code: null,
  country_name: null,
  status: null,
  legal_form: null,
  website: null,
  address_city: null,
  size_text: null,
  vat_number: null,
  founded: null,
  phones: [],
  emails: [],
  brands: [],
};

function details(company: StubCompany): Row {
  return {
    registration_number: company.registration,
    country_code: company.country.code,
    country_name: company.country.name,
    status: STATUS_NAMES[company.status],
    legal_form: FORM_NAMES[company.form],
    website: company.website,
    address_city: company.city,
    size_text: company.employees === null ? null : String(company.employees),
    vat_number: company.vat,
    founded: company.founded,
    phones: company.phones,
    emails: company.emails,
    brands: company.brands,
  };
}

export function financialsTruth(state: StubState): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS id, fiscal_year AS year, indicator, value_double AS number, value_text AS text
      FROM core.financials WHERE source = 'v2' ORDER BY company_id, fiscal_year, indicator`,
    rows: everListed(state)
      .filter(({ gone }) => !gone)
      .flatMap((company) =>
        valuesOf(company)
          .toSorted((a, b) => a.year - b.year || (a.indicator < b.indicator ? -1 : 1))
          // JSON has no minus zero.
          .map(({ number, ...value }) => ({ id: company.id, ...value, number: number === null ? null : number + 0 })),
      ),
  };
}

/** Executives of the companies that were fetched. */
export function executivesTruth(state: StubState): Truth {
  return {
    sql: `SELECT executive_id::VARCHAR AS id, company_id::VARCHAR AS company, is_listed, seniority, department, function, nationality,
        full_name, email, phone
      FROM core.executives ORDER BY executive_id`,
    rows: everListed(state)
      .filter(({ gone }) => !gone)
      .flatMap((company) => peopleOf(company).map((person) => ({ company, person })))
      .toSorted((a, b) => (BigInt(a.person.id) < BigInt(b.person.id) ? -1 : 1))
      .map(({ company, person }) => ({
        id: person.id,
        company: company.id,
        is_listed: true,
        seniority: person.level === null ? null : [person.level],
        department: person.department === null ? null : [person.department],
        function: person.job,
        nationality: person.nationality,
        full_name: `${person.firstName} ${person.lastName}`,
        email: person.email,
        phone: person.phone,
      })),
  };
}

/** Employees of the companies that were fetched. */
export function employeesTruth(state: StubState): Truth {
  return {
    sql: `SELECT employee_id::VARCHAR AS id, company_id::VARCHAR AS company, company_name, is_listed, has_details,
        coalesce(seniority, []) AS seniority, function, nationality, full_name, first_name, email, phone, pronet
      FROM core.employees ORDER BY employee_id`,
    rows: everListed(state)
      .filter(({ gone }) => !gone)
      .flatMap((company) => employeesOf(company).map((person) => ({ company, person })))
      .toSorted((a, b) => (BigInt(a.person.id) < BigInt(b.person.id) ? -1 : 1))
      .map(({ company, person }) => ({
        id: person.id,
        company: company.id,
        company_name: company.name,
        is_listed: true,
        has_details: !person.gone,
        seniority: person.level === null || person.gone ? [] : [LEVEL_NAMES[person.level]],
        function: person.gone ? null : person.job,
        nationality: person.gone ? null : person.nationality,
        full_name: person.name,
        first_name: person.gone ? null : person.firstName,
        email: person.gone ? null : person.email,
        phone: person.gone ? null : person.phone,
        pronet: person.gone ? null : person.profile,
      })),
  };
}

/** Numbers of version 1 reports, with the date of the report. */
export function v1FinancialsTruth(state: StubState): Truth {
  return {
    sql: `SELECT company_id::VARCHAR AS id, strftime(reported_date, '%Y%m%d') AS date, indicator, value_double AS number, progress
      FROM core.financials WHERE source = 'v1' ORDER BY company_id, reported_date, indicator`,
    rows: everListed(state)
      .filter(({ gone }) => !gone)
      .flatMap((company) =>
        valuesOf(company)
          .filter(({ number }) => number !== null)
          .toSorted((a, b) => a.year - b.year || (a.indicator < b.indicator ? -1 : 1))
          .map(({ year, indicator, number }) => ({
            id: company.id,
            date: `${year}1231`,
            indicator,
            number: Number(number) + 0,
            progress: null,
          })),
      ),
  };
}

export function tendersTruth({ tenders }: StubState): Truth {
  return {
    sql: `SELECT slug, title, status, type, announced_date::VARCHAR AS announced_date, deadline_date::VARCHAR AS deadline_date,
        announced_at::VARCHAR AS announced_at, deadline_at::VARCHAR AS deadline_at, countries,
        (SELECT count(*)::INTEGER FROM core.tenders_history AS h WHERE h.slug = t.slug) AS versions
      FROM core.tenders AS t ORDER BY slug`,
    rows: tenders
      .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
      .map(({ slug, title, status, type, announced, deadline, countries }) => ({
        slug,
        title,
        status,
        type,
        announced_date: announced.slice(0, 10),
        deadline_date: deadline?.slice(0, 10) ?? null,
        announced_at: announced.replace('T', ' '),
        deadline_at: deadline?.replace('T', ' ') ?? null,
        countries,
        versions: 1,
      })),
  };
}

/**
 * Events as three lists, because two events of one company, field and second may be paired either way. The lists are:
 * events with their sources, values of deliveries, messages of the list. `delivered` are events answered 200.
 */
export function eventsTruth({ events, watches }: StubState, delivered: ReadonlySet<StubEvent>): Record<string, Truth> {
  const known = events.map((event) => ({
    event,
    key: { id: event.companyId, field: event.field, at: event.at.slice(0, 19).replace('T', ' ') },
    polled: event.listed && watches.has(event.companyId),
    came: delivered.has(event),
  }));
  const key = `company_id::VARCHAR AS id, field, strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S') AS at`;
  return {
    ways: {
      sql: `SELECT ${key}, received_via AS via FROM core.watch_events`,
      rows: known
        .filter(({ polled, came }) => polled || came)
        .map(({ polled, came, ...one }) => ({
          ...one.key,
          via: polled && came ? 'both' : polled ? 'poll' : 'webhook',
        })),
    },
    values: {
      sql: `SELECT ${key}, old_value AS old, new_value AS new FROM core.watch_events WHERE received_via <> 'poll'`,
      rows: known
        .filter(({ came }) => came)
        .map(({ event, ...one }) => ({ ...one.key, old: event.old, new: event.new })),
    },
    messages: {
      sql: `SELECT ${key}, message_text AS message FROM core.watch_events WHERE received_via <> 'webhook'`,
      rows: known
        .filter(({ polled }) => polled)
        .map(({ event, ...one }) => ({ ...one.key, message: event.message.replaceAll(/<[^>]*>/g, '') })),
    },
  };
}
