import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { INDICATORS } from '../../schemas/v2/indicators.js';
import { Observed } from './observed.js';
import { answerType, ENVELOPES, nameOf, RECORDS, ROUTES, routeNamed, watchFields } from './reference.js';
import { startConformance, type Conformance, type Given } from './sandbox-calls.js';

/** Numbers that sometimes come as text; clients have to read them. */
const NUMBERS_AS_TEXT = ['Financial year.Profit-after-Tax: string', 'Financial year.Turnover: string'];

/** Fields that are null or missing here although the reference does not say so; clients have to accept that. */
const UNEVEN = [
  'Company record.company_phone',
  'Company record.company_email',
  'Company record.company_website',
  'Company record.brands',
  'Company record.address_location',
  'Company record.zip_code',
  'Company record.size',
  'Company record.founding_date',
  'Company record.sic',
  'Enrichment employee search company.website',
  'Enrichment employee search company.incorporation_date',
  'Enrichment employee search company.postal_code',
  'Enrichment employee search company.phone',
  'Enrichment employee search company.microblog',
  'Enrichment employee search company.socialnet',
  'Enrichment employee search company.pronet',
  'Version 1 company details.size',
  'Version 1 company details.founding_date',
];

/** Number of companies read: enough that each field is present, and missing or null where allowed. */
const READ = 700;
const EVENTS_OF = 60;

let api: Conformance;
const seen = new Observed();
const eventTypes = new Set<string>();

async function read<T = Record<string, unknown>>(name: string, given: Given): Promise<T> {
  const { status, body } = await api.ask(name, given);
  // Companies and people that left today are still listed.
  if (status !== 404) seen.take(answerType(routeNamed(name)), body, name);
  return body as T;
}

beforeAll(async () => {
  api = await startConformance();
  const ids = api.app.sandbox.world.companyIds(0).slice(0, READ);
  for (const [name, given] of Object.entries(api.calls)) if (!name.startsWith('DELETE')) await read(name, given);
  for (const id of ids) {
    await read('GET /v2/companies/{id}', { id });
    await read('GET /v2/financial/{id}', { id });
    await read('GET /v1/finder/company/details', { id });
    await read('GET /v1/finder/company/financial', { id });
  }
  const everything = { page: 1, per_page: 1000, filters: {} };
  await read('POST /v2/prospecting', everything);
  await read('POST /v1/finder/companies', everything);
  for (let page = 1; page <= 20; page++) await read('POST /v2/overview', { page });
  const { data: people } = await read<{ data: { id: string; company_id: string }[] }>('POST /v2/employees', everything);
  for (const { id, company_id } of people.slice(0, 300)) {
    const { pronet } = await read('GET /v2/employees/{id}', { id });
    if (pronet) await read('POST /v2/enrichment/employee/pronet', { pronet });
    await read('GET /v1/finder/executive/details', { id });
    await read('GET /v1/finder/company/executives', { id: company_id, page: 1, per_page: 10 });
  }
  await read('POST /v2/enrichment/employee/search', { per_page: 1000 });
  await read('POST /v1/finder/executives', everything);
  await read('POST /v1/finder/tenders', { per_page: 1000 });
  for (const slug of api.app.sandbox.world.tenderSlugs(0)) await read('GET /v1/finder/tenders/details', { slug });
  for (const id of ids.slice(0, EVENTS_OF)) {
    await api.ask('POST /v2/companies/{id}/watch/start', { id });
    const events = { id, from_date: '2005-01-01', per_page: 1000 };
    const { data } = await read<{ data?: { event_type: string }[] }>('GET /v2/companies/{id}/watch/events', events);
    for (const { event_type } of data ?? []) eventTypes.add(event_type);
  }
});
afterAll(() => api.app.close());

const fieldsThat = (holds: (type: string) => boolean): string[] =>
  Object.entries({ ...RECORDS, ...envelopes() }).flatMap(([record, { fields }]) =>
    Object.entries(fields).flatMap(([field, type]) => (holds(type) ? [`${record}.${field}`] : [])),
  );

function envelopes(): Record<string, { fields: Record<string, string> }> {
  return Object.fromEntries(Object.entries(ENVELOPES).map(([name, fields]) => [`${name} envelope`, { fields }]));
}

// Tested elsewhere: errors.test.ts, webhook.test.ts.
const ELSEWHERE = /^(LimitError access|Connector validation item|Webhook delivery)/;

describe("the sandbox's answers", () => {
  it('returns every field of every record and envelope in its documented type', () => {
    expect([...seen.misfits].toSorted()).toEqual(NUMBERS_AS_TEXT);
    const missing = fieldsThat(() => true).filter((field) => !seen.filled.has(field) && !ELSEWHERE.test(field));
    expect(missing).toEqual([]);
  });

  it('omits or nulls each field that the reference allows', () => {
    const may = fieldsThat((type) => /\| null|\?$/.test(type));
    expect(may.filter((field) => !seen.nulls.has(field) && !seen.absent.has(field))).toEqual([]);
  });

  it('returns every documented indicator with its type, and no other', () => {
    const named = [...INDICATORS.keys()].filter((name) => !seen.filled.has(`Financial year.${name}`));
    expect(named).toEqual([]);
    expect([...seen.unnamed].toSorted()).toEqual([]);
  });

  it('returns an event of every watch field', () => {
    expect([...eventTypes].toSorted()).toEqual(watchFields.current.toSorted());
  });

  it('omits or nulls undocumentedly only the listed fields', () => {
    const beyond = fieldsThat((type) => !/\| null|\?$/.test(type));
    const uneven = beyond.filter((field) => seen.nulls.has(field) || seen.absent.has(field));
    expect(uneven).toEqual(UNEVEN);
  });

  it('reads every route that has a documented answer', () => {
    const shown = ROUTES.filter(({ response }) => response !== null).map(nameOf);
    expect(shown.filter((name) => !(name in api.calls))).toEqual([]);
  });
});
