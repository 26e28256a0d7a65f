import { createWorld, type WorldOptions } from '../../sandbox/world/index.js';
import { tickerOf } from '../../sandbox/world/lookups.js';
import type { RunningSandbox } from '../helpers/processes.js';

type Row = Record<string, unknown>;
type Values = (string | number)[];

/**
 * Values of the market as configuration for schemathesis; random ids would only find "not found". Most requests use
 * these values, others try unknown ones.
 */
export async function configuration(sandbox: RunningSandbox, market: WorldOptions): Promise<string> {
  const { ctx } = createWorld(market);
  const companies = await truth(sandbox, 'companies');
  const records = companies.flatMap(({ record }) => (record === null ? [] : [record as Row]));
  const people = await truth(sandbox, 'employees');
  const tenders = await truth(sandbox, 'tenders');
  const sessions = await Promise.all(Array.from({ length: 5 }, () => newSession(sandbox)));
  const lists: Record<string, Values> = {
    company: some(companies, 'company_id'),
    'company-text': some(companies, 'company_id').map(String),
    person: some(people, 'employee_id'),
    'person-text': some(people, 'employee_id').map(String),
    slug: some(tenders, 'slug'),
    registration: some(records, 'registration_number'),
    website: some(records, 'company_website'),
    pronet: some(records, 'pronet'),
    'person-pronet': some(people, 'pronet'),
    ticker: companies.map((_, index) => tickerOf(ctx, index)).filter((ticker) => ticker !== null),
    year: [2022, 2023, 2024],
    nomenclature: ['nace', 'location_countries', 'department'],
    'payee-country': ['GB', 'DE', 'BR', 'ZA', 'CN'],
    'payee-scheme': ['ACNR', 'EMAL', 'MBNO', 'IBAN'],
    bank: ['123456', '1234567'],
    email: some(people, 'email'),
    country: some(records, 'country_code'),
    name: some(records, 'name'),
    date: ['2026-11-01', '2026-11-20', '2009-07-01'],
    instant: ['2026-11-01 00:00:00', '2026-12-31 23:59:59'],
    job: ['ubo-1', 'ubo-2'],
    small: [1, 2, 3],
    'small-text': ['1', '2', '3'],
    key: [sandbox.key],
    session: sessions,
  };
  const everywhere: Record<string, string> = {
    'path.id': 'company-text',
    'path.job_id': 'job',
    'query.id': 'company',
    'query.slug': 'slug',
    'query.session': 'session',
    'query.date_from': 'instant',
    'query.date_to': 'instant',
    'query.from_date': 'date',
    'query.to_date': 'date',
    'body.api_key': 'key',
    'body.session': 'session',
    'body.registration_number': 'registration',
    'body.website': 'website',
    'body.url': 'website',
    'body.pronet': 'pronet',
    'body.pronet_url': 'pronet',
    'body.email': 'email',
    'body.country_code': 'country',
    'body.company_id': 'company-text',
    'body.filters.company_id': 'company',
    'body.name': 'name',
  };
  return [
    ...Object.entries(lists).map(([name, values]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(values)}\n`),
    `[parameters]\n${bindings(everywhere)}`,
    operation('^/v2/employees/', { 'path.id': 'person-text' }),
    operation('^/v1/finder/executive/', { 'query.id': 'person' }),
    operation('^/v2/know-your-payee/', { 'path.id': 'small-text' }),
    operation('^/v2/know-your-payee$', {
      'body.country_code': 'payee-country',
      'body.id_scheme': 'payee-scheme',
      'body.holding_entity': 'bank',
    }),
    operation('^/v2/financial/ticker', { 'query.ticker': 'ticker' }),
    operation('^/v2/enrichment/employee/pronet', { 'body.pronet': 'person-pronet' }),
    operation('^/api/company-financials', { 'body.year': 'year' }),
    operation('^/api/nomenclature', { 'body.nomenclature_type': 'nomenclature' }),
  ].join('\n');
}

function operation(pathPattern: string, bound: Record<string, string>): string {
  return `[[operations]]\ninclude-path-regex = ${JSON.stringify(pathPattern)}\n[operations.parameters]\n${bindings(bound)}`;
}

function bindings(bound: Record<string, string>): string {
  return Object.entries(bound)
    .map(([name, list]) => `${JSON.stringify(name)} = { dictionary = ${JSON.stringify(list)}, probability = 0.7 }\n`)
    .join('');
}

/** Up to twenty existing values of a field. */
function some(rows: Row[], field: string): Values {
  const values = rows
    .map((row) => row[field])
    .filter((value) => typeof value === 'string' || typeof value === 'number');
  return values.filter((value) => value !== '').slice(0, 20);
}

async function truth(sandbox: RunningSandbox, table: string): Promise<Row[]> {
  const text = await (await fetch(`${sandbox.url}/_sandbox/truth/${table}`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

async function newSession(sandbox: RunningSandbox): Promise<string> {
  const response = await fetch(`${sandbox.url}/_sandbox/oauth/sessions`, { method: 'POST' });
  return ((await response.json()) as { session: string }).session;
}
