import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { expectError, type ErrorName } from './error-shapes.js';
import { Observed } from './observed.js';
import { answerType, errors, FILTERS, nameOf, RECORDS, ROUTES, routeNamed, webhook } from './reference.js';

/*
 * Checks that test/fixtures/api has every shape of the reference, each complete. test/schemas/fixtures.test.ts tests
 * that they parse.
 */

const folder = new URL('../fixtures/api/', import.meta.url);
const namesIn = (kind: string): string[] =>
  readdirSync(new URL(`${kind}/`, folder)).map((file) => file.replace('.json', ''));
const read = (kind: string, name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${kind}/${name}.json`, folder), 'utf8'));

/** The route whose answer each file is; other files hold what their name says. */
const ANSWERS: Record<string, string> = {
  'v2-prospecting': 'POST /v2/prospecting',
  'v2-overview': 'POST /v2/overview',
  'v2-company': 'GET /v2/companies/{id}',
  'v2-company-enriched': 'POST /v2/enrichment/url',
  'v2-employees': 'POST /v2/employees',
  'v2-employee': 'GET /v2/employees/{id}',
  'v2-employee-enriched': 'POST /v2/enrichment/employee/pronet',
  'v2-enrichment-employee-search': 'POST /v2/enrichment/employee/search',
  'v2-metrics': 'GET /v2/metrics',
  'v2-contact-metrics': 'GET /v2/metrics/contacts',
  'v2-financial-report': 'GET /v2/financial/{id}',
  'v2-watch-list': 'GET /v2/companies/watch',
  'v2-watch-events': 'GET /v2/companies/{id}/watch/events',
  'v2-watch-fields': 'GET /v2/companies/{id}/watch/fields',
  'v2-watch-callback': 'PUT /v2/companies/watch/callback',
  'v1-companies': 'POST /v1/finder/companies',
  'v1-company': 'GET /v1/finder/company/details',
  'v1-financial-report': 'GET /v1/finder/company/financial',
  'v1-executive': 'GET /v1/finder/executive/details',
  'v1-company-executives': 'GET /v1/finder/company/executives',
  'v1-executives': 'POST /v1/finder/executives',
  'v1-tenders': 'POST /v1/finder/tenders',
  'v1-tender-details': 'GET /v1/finder/tenders/details',
  'v1-nomenclatures': 'GET /v1/finder/nomenclatures',
  'v1-tender-nomenclatures': 'GET /v1/finder/tenders/nomenclatures',
};
const OTHERS: Record<string, string> = { 'v2-webhook-delivery': webhook.body };

/** The routes whose parameters each file holds. */
const REQUESTS: Record<string, string[]> = {
  'v2-contact-metrics': ['GET /v2/metrics/contacts'],
  'v2-prospecting': ['POST /v2/prospecting'],
  'v2-overview': ['POST /v2/overview'],
  'v2-employees': ['POST /v2/employees'],
  'v2-watch-start': ['POST /v2/companies/{id}/watch/start'],
  'v2-watch-list': ['GET /v2/companies/watch'],
  'v2-watch-events': ['GET /v2/companies/{id}/watch/events'],
  'v2-watch-fields': ['PUT /v2/companies/{id}/watch/fields/add', 'PUT /v2/companies/{id}/watch/fields/remove'],
  'v2-watch-callback': ['PUT /v2/companies/watch/callback'],
  'v2-enrichment-url': ['POST /v2/enrichment/url'],
  'v2-enrichment-company-pronet': ['POST /v2/enrichment/company/pronet'],
  'v2-enrichment-company': ['POST /v2/enrichment/company'],
  'v2-enrichment-email': ['POST /v2/enrichment/email'],
  'v2-enrichment-employee-pronet': ['POST /v2/enrichment/employee/pronet'],
  'v2-enrichment-employee-contacts': ['POST /v2/enrichment/employee/contacts'],
  'v2-enrichment-employee-search': ['POST /v2/enrichment/employee/search'],
  'v2-autocomplete': ['POST /v2/autocomplete'],
  'v2-financial': ['GET /v2/financial/{id}'],
  'v2-financial-ticker': ['GET /v2/financial/ticker'],
  'v1-companies': ['POST /v1/finder/companies'],
  'v1-id': ['details', 'financial']
    .map((what) => `GET /v1/finder/company/${what}`)
    .concat('GET /v1/finder/executive/details'),
  'v1-company-executives': ['GET /v1/finder/company/executives'],
  'v1-executives': ['POST /v1/finder/executives'],
  'v1-tenders': ['POST /v1/finder/tenders'],
  'v1-tender-details': ['GET /v1/finder/tenders/details'],
};
const CONNECTOR: Record<string, string[]> = {
  'verify-token': ['POST /api/verify-token'],
  'company-by-url': ['POST /api/company-by-url'],
  'company-by-pronet': ['POST /api/company-by-pronet'],
  'company-financials': ['POST /api/company-financials'],
  autocomplete: ['POST /api/autocomplete'],
  nomenclature: ['POST /api/nomenclature'],
  prospecting: ['POST /api/prospecting'],
  'company-id': ['POST /api/company-details', 'POST /api/company-ownership'],
  session: [
    'GET /oauth/login',
    'GET /oauth/sso/start',
    'GET /oauth/consent',
    'POST /oauth/consent',
    'POST /oauth/deny',
  ],
  'key-form': ['POST /oauth/login'],
  'sso-callback': ['GET /oauth/sso/callback'],
  trial: ['GET /oauth/trial', 'POST /oauth/trial'],
  'trial-verify': ['POST /oauth/trial/verify'],
};

/** The error that each file holds. */
const ERRORS: Record<string, { [G in keyof typeof errors]: [G, ErrorName<G>] }[keyof typeof errors]> = {
  'v2-token-verification-error': ['v2', 'TokenVerificationError'],
  'v2-invalid-request': ['v2', 'InvalidRequest'],
  'v2-internal-error': ['v2', 'InternalError'],
  'v2-limit-error': ['v2', 'LimitError'],
  'v2-limit-error-daily': ['v2', 'LimitError'],
  'v2-autocomplete': ['v2', 'Autocomplete field error'],
  'v1-token-verification-error': ['v1', 'TokenVerificationError'],
  'v1-invalid-request': ['v1', 'InvalidRequest'],
  'v1-internal-error': ['v1', 'InternalError'],
  'v1-id-not-found': ['v1', 'IdNotFound'],
  'v1-product-permission-denied': ['v1', 'ProductPermissionDenied'],
  'connector-validation-error': ['connector', 'Validation error'],
};

function mayBeNull(field: string): boolean {
  const [record, name] = field.split('.') as [string, string];
  // Indicators may be null; the fixture shows one.
  if (record === 'Financial year') return true;
  return RECORDS[record]?.fields[name]?.endsWith('| null') ?? false;
}

describe('answers in test/fixtures/api', () => {
  it('holds every field of every record in the answer fixtures', () => {
    const seen = new Observed();
    for (const [name, route] of Object.entries(ANSWERS)) {
      seen.take(answerType(routeNamed(route)), read('responses', name), name);
    }
    for (const [name, type] of Object.entries(OTHERS)) seen.take(type, read('responses', name), name);
    seen.take('LimitError access', (read('errors', 'v2-limit-error') as { access: unknown }).access, 'access');
    const { detail } = read('errors', 'connector-validation-error') as { detail: unknown };
    seen.take('array of Connector validation item', detail, 'detail');
    expect([[...seen.misfits], [...seen.unnamed]]).toEqual([[], []]);
    const fields = Object.entries(RECORDS).flatMap(([record, row]) =>
      Object.keys(row.fields).map((field) => `${record}.${field}`),
    );
    const nullable = fields.filter((field) => seen.nulls.has(field));
    expect([...seen.nulls].filter((field) => !mayBeNull(field))).toEqual([]);
    expect(fields.filter((field) => !seen.filled.has(field) && !nullable.includes(field))).toEqual([]);
  });

  it('has an answer fixture for every route with a documented answer', () => {
    const types = new Set(Object.values(ANSWERS).map((route) => answerType(routeNamed(route))));
    const shown = ROUTES.filter(({ response }) => response !== null);
    expect(shown.filter((route) => !types.has(answerType(route))).map(nameOf)).toEqual([]);
    expect([...Object.keys(ANSWERS), ...Object.keys(OTHERS)].toSorted()).toEqual(namesIn('responses').toSorted());
  });
});

describe('requests in test/fixtures/api', () => {
  const rows = [
    ...Object.entries(REQUESTS).map(([name, routes]) => ['requests', name, routes] as const),
    ...Object.entries(CONNECTOR).map(([name, routes]) => ['connector', name, routes] as const),
  ];
  it.each(rows)('%s/%s holds every documented parameter', (kind, name, routes) => {
    for (const { parameters } of routes.map(routeNamed)) {
      const names = parameters.filter((parameter) => parameter.in[0] !== 'path').map((parameter) => parameter.name);
      expect(Object.keys(read(kind, name) as object).toSorted()).toEqual(names.toSorted());
    }
  });

  it('has a request fixture for every route with parameters', () => {
    const covered = rows.flatMap(([, , routes]) => routes);
    const taking = ROUTES.filter(({ parameters }) => parameters.some((parameter) => parameter.in[0] !== 'path'));
    expect(covered.toSorted()).toEqual(taking.map(nameOf).toSorted());
    expect(Object.keys(REQUESTS).toSorted()).toEqual(namesIn('requests').toSorted());
    expect(Object.keys(CONNECTOR).toSorted()).toEqual(namesIn('connector').toSorted());
  });

  it.each(Object.entries(FILTERS))('holds every filter key in the request fixture: %s', (_name, table) => {
    const [file] = Object.entries(REQUESTS).find(([, routes]) => routes.includes(table.route))!;
    const { filters } = read('requests', file) as { filters: Record<string, object> };
    const keys = { ...('extends' in table && FILTERS['v1 companies'].keys), ...table.keys };
    expect(Object.keys('under' in table ? filters[table.under]! : filters).toSorted()).toEqual(
      Object.keys(keys).toSorted(),
    );
  });
});

describe('errors in test/fixtures/api', () => {
  it.each(Object.entries(ERRORS))('%s has the documented error shape', (name, [group, error]) => {
    const { status } = (errors[group] as Record<string, { status: number | null }>)[error]!;
    expectError({ status: status ?? 400, body: read('errors', name) }, group, error as never);
  });

  it('has an error fixture for every documented error', () => {
    const named = Object.entries(errors).flatMap(([group, table]) =>
      Object.keys(table).map((error) => `${group} ${error}`),
    );
    expect([...new Set(Object.values(ERRORS).map((row) => row.join(' ')))].toSorted()).toEqual(named.toSorted());
    expect(Object.keys(ERRORS).toSorted()).toEqual(namesIn('errors').toSorted());
  });
});
