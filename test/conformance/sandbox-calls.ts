import { request } from 'undici';

import type { Company } from '../../schemas/v2/company.js';
import type { Employee } from '../../schemas/v2/employee.js';
import { leiOf, tickerOf } from '../../sandbox/world/lookups.js';
import { indexOf } from '../../sandbox/world/membership.js';
import { companyOf, peopleCountOf, PLACES } from '../../sandbox/world/people.js';
import { employeeRecord } from '../../sandbox/world/person-records.js';
import { startApp, type Running } from '../sandbox/running.js';
import { routeNamed, type Parameter, type Route } from './reference.js';

/** Parameters of a call by name, including path parameters. */
export type Given = Record<string, unknown>;

export interface Answer {
  status: number;
  body: unknown;
}

/** A sandbox whose market contains everything that the reference names, and known values from it. */
export interface Conformance {
  app: Running;
  /** A company with all fields, and its id as a number. */
  company: Company;
  id: number;
  ticker: string;
  lei: string;
  /** One of its people, with e-mail, phone and profile. */
  person: Employee;
  /** A company with at least four people. */
  employer: number;
  slug: string;
  jobId: string;
  payeeId: number;
  /** A successful call of each route with every documented parameter. */
  calls: Record<string, Given>;
  ask(route: string, given?: Given, options?: AskOptions): Promise<Answer>;
}

export interface AskOptions {
  /** Chooses a parameter's place if the reference has several. */
  place?: (places: Parameter['in']) => Parameter['in'][number];
  headers?: Record<string, string>;
}

const DAY = '2026-11-20';
const MARKET = { companies: 1500, tenders: 120, maxPerPage: 10_000, jobMilliseconds: 1, date: DAY } as const;

/** What the calls need to know of a company. */
const USED = [
  'company_email',
  'company_phone',
  'company_website',
  'country_region',
  'pronet',
  'vat_number',
  'zip_code',
] as const;

/** Calls a route of the reference: each parameter goes to its documented place, others into the body. */
export async function ask(
  app: Running,
  route: Route,
  given: Given,
  { place = (places) => places[0]!, headers = {} }: AskOptions = {},
): Promise<Answer> {
  const url = new URL(app.url);
  url.pathname = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const body: Given = {};
  for (const [name, value] of Object.entries(given)) {
    const places = route.parameters.find((parameter) => parameter.name === name)?.in ?? ['body'];
    const where = place(places);
    if (where === 'body') body[name] = value;
    if (where === 'query') for (const item of [value].flat()) url.searchParams.append(name, String(item));
  }
  const { statusCode, body: answer } = await request(url, {
    method: route.method as 'GET',
    headers: {
      'content-type': 'application/json',
      authorization: `Token ${app.sandbox.options.key}`,
      ...headers,
    },
    body: Object.keys(body).length === 0 ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: statusCode, body: /^[[{"]/.test(text) ? (JSON.parse(text) as unknown) : text };
}

/** Starts the sandbox, chooses company and person, and starts the watch that some calls need. */
export async function startConformance(): Promise<Conformance> {
  const app = await startApp(MARKET);
  const { world, options } = app.sandbox;
  const ids = world.companyIds(0);
  const peopleOf = (id: number): Employee[] => {
    const index = indexOf(world.ctx, id)!;
    const numbers = Array.from({ length: peopleCountOf(world.ctx, index) }, (_, place) => index * PLACES + place);
    return numbers.map((number) => employeeRecord(world.ctx, number, world.versionsOf(companyOf(number), 0)));
  };
  const reachable = (person: Employee): boolean => Boolean(person.email && person.phone && person.pronet);
  const id = ids.find((candidate) => {
    const record = world.company(candidate, 0);
    const index = indexOf(world.ctx, candidate)!;
    const numbers = [tickerOf(world.ctx, index), leiOf(world.ctx, index)];
    return (
      record !== undefined &&
      [...numbers, ...USED.map((field) => record[field])].every((value) => value?.length) &&
      Object.keys(world.financialReport(candidate, 0)!).length > 1 &&
      peopleOf(candidate).some(reachable)
    );
  });
  if (id === undefined) throw new Error('no company of which everything is known: choose a larger market');
  const company = world.company(id, 0)!;
  const person = peopleOf(id).find(reachable)!;
  const index = indexOf(world.ctx, id)!;
  const known = {
    id,
    company,
    person,
    ticker: tickerOf(world.ctx, index)!,
    lei: leiOf(world.ctx, index)!,
    employer: ids.find((candidate) => world.company(candidate, 0) !== undefined && peopleOf(candidate).length >= 4)!,
    slug: world.tenderSlugs(0)[0]!,
  };
  for (const watched of [id, ...ids.filter((other) => other !== id && world.company(other, 0)).slice(0, 5)]) {
    await app.send('POST', `/v2/companies/${watched}/watch/start`, {});
  }
  const job = await app.send<{ job_id: string }>('POST', `/v2/kyb/${id}/ubo/enrich`);
  const payee = { country_code: 'GB', id_scheme: 'ACNR', id: '31926819', holding_entity: '601613' };
  const check = await app.send<{ id: number }>('POST', '/v2/know-your-payee', payee);
  const all = { ...known, jobId: job.body.job_id, payeeId: check.body.id, payee, key: options.key };
  const calls = callsWith(all, Number(Object.keys(world.financialReport(id, 0)!)[0]));
  const { payee: _payee, key: _key, ...rest } = all;
  return { ...rest, app, calls, ask: (name, given = {}, options_) => ask(app, routeNamed(name), given, options_) };
}

type Known = Omit<Conformance, 'app' | 'calls' | 'ask'> & { payee: object; key: string };

function callsWith(known: Known, year: number): Record<string, Given> {
  const { id, company, person, ticker, employer, slug, jobId, payeeId, payee, key: api_key } = known;
  const fields = ['company.name', 'company_phone', 'vat_number'];
  const { registration_number, vat_number, country_code, pronet, company_website: website } = company;
  const paging = { page: 1, per_page: 2 };
  const identity = { country_code, registration_number, vat_number, ticker };
  const reveals = { reveal_email: true, reveal_phone: true };
  return {
    'GET /v2/metrics': {},
    'GET /v2/metrics/contacts': { date_from: `${DAY} 00:00:00`, date_to: `${DAY} 23:59:59` },
    'POST /v2/prospecting': { ...paging, filters: { company_status: [199] } },
    'POST /v2/overview': {
      ...identity,
      ...paging,
      state: company.country_region,
      postal_codes: [company.zip_code],
      name: company.name,
      lei_number: known.lei,
      website,
      phone_number: company.company_phone![0],
      person: person.full_name,
      company_status: [199, 200, 201],
      pronet,
    },
    'GET /v2/companies/{id}': { id },
    'POST /v2/employees': { ...paging, filters: { company_id: employer } },
    'GET /v2/employees/{id}': { id: person.id },
    'POST /v2/companies/{id}/watch/start': { id, fields },
    'DELETE /v2/companies/{id}/watch/stop': { id },
    'GET /v2/companies/watch': { ...paging, date: DAY, fields },
    'GET /v2/companies/{id}/watch/events': { id, ...paging, from_date: '2016-01-01', to_date: DAY, fields },
    'GET /v2/companies/{id}/watch/fields': { id },
    'PUT /v2/companies/{id}/watch/fields/add': { id, fields },
    'PUT /v2/companies/{id}/watch/fields/remove': { id, fields },
    'PUT /v2/companies/watch/callback': { callback: 'http://127.0.0.1:9/hook' },
    'GET /v2/companies/watch/callback': {},
    'POST /v2/enrichment/url': { url: website },
    'POST /v2/enrichment/company/pronet': { pronet },
    'POST /v2/enrichment/company': { ...identity, state: company.country_region },
    'POST /v2/enrichment/email': { email: person.email, reveal_phone: true },
    'POST /v2/enrichment/employee/pronet': { pronet: person.pronet, ...reveals },
    'POST /v2/enrichment/employee/contacts': {
      first_name: person.first_name,
      last_name: person.last_name,
      company_name: company.name,
      domain: website,
      email: person.email,
      pronet: person.pronet,
      ...reveals,
    },
    'POST /v2/enrichment/employee/search': {
      ...paging,
      domain_list: [website],
      company_locations: [country_code],
      employee_locations: [company.address_city],
      employee_seniorities: person.seniority_level,
    },
    'POST /v2/autocomplete': { ...identity, name: company.name, website, email: company.company_email![0], pronet },
    'GET /v2/financial/{id}': { id, year },
    'GET /v2/financial/ticker': { ticker },
    'GET /v2/kyb/{id}/ubo': { id },
    'POST /v2/kyb/{id}/ubo/enrich': { id },
    'GET /v2/kyb/{id}/ubo/enrich/{job_id}': { id, job_id: jobId },
    'POST /v2/know-your-payee': { ...payee },
    'GET /v2/know-your-payee/{id}': { id: payeeId },
    'POST /v2/know-your-payee/{id}': { id: payeeId },
    'POST /v1/finder/companies': { ...paging, filters: { status: [199] } },
    'GET /v1/finder/company/details': { id },
    'GET /v1/finder/company/financial': { id },
    'GET /v1/finder/company/executives': { id: employer, ...paging },
    'POST /v1/finder/executives': { ...paging, filters: { seniority_level: [14, 17] } },
    'GET /v1/finder/executive/details': { id: Number(person.id) },
    'POST /v1/finder/tenders': { ...paging, sort: { title: 'desc' }, filters: { must: { status: [1, 2, 3] } } },
    'GET /v1/finder/tenders/details': { slug },
    'GET /v1/finder/tenders/nomenclatures': {},
    'GET /v1/finder/tenders/donors': {},
    'GET /v1/finder/nomenclatures': {},
    'POST /v1/finder/nomenclatures': {},
    'GET /': {},
    'GET /health': {},
    'GET /playground': {},
    'GET /.well-known/assistant-apps-challenge': {},
    'POST /api/verify-token': { api_key },
    'POST /api/company-by-url': { api_key, url: website },
    'POST /api/company-by-pronet': { api_key, pronet_url: pronet },
    'POST /api/company-financials': { api_key, company_id: String(id), year },
    'POST /api/autocomplete': {
      api_key,
      ...identity,
      name: company.name,
      website,
      email: company.company_email![0],
      pronet,
    },
    'POST /api/nomenclature': { api_key, nomenclature_type: 'department', parent: '833' },
    'POST /api/prospecting': { api_key, ...paging, filters: { company_status: [199] }, sorting: [{ name: 'asc' }] },
    'POST /api/company-details': { api_key, company_id: String(id) },
    'POST /api/company-ownership': { api_key, company_id: String(id) },
  };
}
