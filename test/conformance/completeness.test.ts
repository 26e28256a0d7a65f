import { describe, expect, it } from 'vitest';

import {
  authentication,
  ENVELOPES,
  errors,
  FILTERS,
  indicators,
  limits,
  nomenclatures,
  payeeRules,
  RECORDS,
  ROUTES,
  answerType,
  nameOf,
  watchFields,
  watchStates,
  webhook,
  type Parameter,
  type Place,
} from './reference.js';
import { readType } from './types.js';

/*
 * Checks that the list of the reference is complete. The numbers were counted in the reference itself, so a row lost in
 * editing is noticed.
 */

const sizes = (table: object): Record<string, number> =>
  Object.fromEntries(Object.entries(table).map(([name, rows]) => [name, Object.keys(rows as object).length]));

const countBy = <T>(items: readonly T[], key: (item: T) => string): Record<string, number> =>
  items.reduce<Record<string, number>>((sum, item) => ({ ...sum, [key(item)]: (sum[key(item)] ?? 0) + 1 }), {});

const parameters = ROUTES.flatMap((route) => route.parameters.map((parameter) => ({ ...parameter, route })));
const LIMIT_ORDER = limits.map(({ limit }) => limit);
const byLimit = ([, a]: unknown[], [, b]: unknown[]): number =>
  LIMIT_ORDER.indexOf(a as string) - LIMIT_ORDER.indexOf(b as string);
const isIn = (place: Place) => (parameter: Parameter) => parameter.in.includes(place);
const fieldTypes = Object.values(RECORDS).flatMap(({ fields }) => Object.values(fields));

describe('test/conformance/reference', () => {
  it('lists 67 routes', () => {
    expect(ROUTES).toHaveLength(67);
    expect(countBy(ROUTES, ({ group }) => group)).toEqual({ v2: 32, v1: 12, connector: 23 });
    expect(countBy(ROUTES, ({ method }) => method)).toEqual({ GET: 30, POST: 33, PUT: 3, DELETE: 1 });
    expect(countBy(ROUTES, ({ section }) => section)).toEqual({
      Metrics: 2,
      Prospecting: 1,
      'Company search': 1,
      'Company details': 1,
      Employees: 2,
      Watching: 9,
      Enrichment: 7,
      Autocomplete: 1,
      Financials: 2,
      'Other routes named for version 2': 6,
      'Version 1': 12,
      'Connector application': 23,
    });
    expect(ROUTES.filter(({ response }) => response !== null)).toHaveLength(34);
    expect(countBy(ROUTES, ({ status }) => String(status))).toEqual({ null: 42, 200: 24, 201: 1 });
  });

  it('lists 150 parameters', () => {
    expect(countBy(parameters, ({ route }) => route.group)).toEqual({ v2: 87, v1: 17, connector: 46 });
    const required = parameters.filter((parameter) => parameter.required === true && !isIn('path')(parameter));
    expect(countBy(required, ({ route }) => route.group)).toEqual({ v2: 9, v1: 10, connector: 26 });
    expect(parameters.filter(isIn('path'))).toHaveLength(15);
    expect(parameters.filter(isIn('form'))).toHaveLength(9);
    expect(parameters.filter(({ in: places }) => places.length > 1)).toHaveLength(8);
    expect(parameters.filter((parameter) => parameter.default !== undefined)).toHaveLength(15);
    expect(parameters.filter((parameter) => parameter.maximum !== undefined)).toHaveLength(3);
    expect(parameters.filter((parameter) => parameter.requiredWhen !== undefined)).toHaveLength(1);
  });

  it('lists every field of every record', () => {
    expect(
      Object.fromEntries(Object.entries(RECORDS).map(([name, { fields }]) => [name, sizes({ fields })['fields']])),
    ).toEqual({
      'Prospecting result item': 2,
      'Company search result item': 5,
      'Company record': 25,
      'Company classification': 3,
      'Employee search result item': 4,
      'Employee record': 17,
      'Enrichment employee search item': 13,
      'Enrichment employee search company': 12,
      'Usage metric group': 3,
      'Usage metric': 4,
      'Contact metrics': 2,
      'Watched company list item': 6,
      'Company event item': 4,
      'Callback configuration': 2,
      'Webhook delivery': 5,
      'Webhook delivery company': 5,
      'Version 1 company summary': 2,
      'Version 1 company details': 18,
      'Version 1 financial report': 3,
      'Version 1 yearly report': 4,
      'Version 1 indicator': 3,
      'Version 1 executive': 13,
      'Executive search item': 5,
      'Tender summary': 7,
      'Tender details': 13,
      'Tender contacts': 3,
      'Tender contact': 3,
      Nomenclatures: 10,
      'Nomenclature entry': 2,
      'Country entry': 3,
      'Department entry': 3,
      'Tender nomenclatures': 4,
      'LimitError access': 6,
      'Connector validation item': 3,
    });
    expect(fieldTypes.filter((type) => type.endsWith('| null'))).toHaveLength(29);
    expect(fieldTypes.filter((type) => type.endsWith('?'))).toHaveLength(3);
    expect(sizes(ENVELOPES)).toEqual({
      prospecting: 3,
      'company search': 3,
      'employee search': 3,
      watching: 3,
      'v1 search': 2,
      'v1 company executives': 2,
      tenders: 2,
    });
  });

  it('lists every filter key', () => {
    const keys = Object.entries(FILTERS).map(([name, table]) => [name, Object.keys(table.keys).length]);
    expect(Object.fromEntries(keys)).toEqual({
      prospecting: 51,
      employees: 7,
      'v1 companies': 28,
      'v1 executives': 8,
      tenders: 8,
    });
    expect(countBy(Object.values(FILTERS.prospecting.keys), (type) => type)).toEqual({
      'array of integer': 5,
      'array of string': 27,
      range: 14,
      object: 2,
      string: 2,
      url: 1,
    });
    expect(FILTERS.prospecting.financial_turnover).toMatchObject({ keys: { length: 3 }, currencies: { length: 3 } });
    expect(FILTERS.tenders.sort).toHaveLength(6);
  });

  it('lists every watch field, indicator, error, limit, state and stated value', () => {
    const { current, earlier, inSamples } = watchFields;
    expect([current.length, earlier.length, inSamples.length]).toEqual([35, 19, 2]);
    expect(countBy(current, (name) => name.split('.')[0]!)).toEqual({
      company: 15,
      office: 5,
      address: 1,
      shareholder: 6,
      employee: 4,
      officer: 4,
    });
    const { string, integer, double } = indicators;
    expect([string.length, integer.length, double.length]).toEqual([5, 2, 259]);
    expect(sizes(errors)).toEqual({ v2: 5, v1: 5, connector: 1 });
    expect(
      Object.values(errors.v1).map(({ body, data }) => [sizes({ body })['body'], sizes({ data })['data']]),
    ).toEqual([
      [4, 1],
      [4, 1],
      [4, 0],
      [4, 1],
      [4, 0],
    ]);
    expect(Object.values(errors.v2).map(({ body }) => Object.keys(body).length)).toEqual([1, 1, 1, 3, 1]);
    expect([errors.v2.LimitError.guards.length, errors.v2['Autocomplete field error'].oneOf.length]).toEqual([2, 5]);
    expect(watchStates.map(({ answer }) => typeof answer)).toEqual(['number', 'string', 'string', 'number']);
    expect([limits.length, watchStates.length, webhook.headers.length]).toEqual([5, 4, 2]);
    expect(sizes(nomenclatures.companies)).toEqual({
      company_status: 3,
      activity_type: 3,
      regions: 7,
      subsidiary_status: 2,
      seniority_level: 8,
      ownership_types: 12,
      activities: 34,
      departments: 29,
    });
    expect(sizes(nomenclatures.tenders)).toEqual({ statuses: 5, types: 3, industries: 32 });
    expect(Object.keys(nomenclatures.parents)).toHaveLength(5);
    const { decisions, countriesAdded, countriesComing, proxySchemes, rules } = payeeRules;
    const counts = [decisions, countriesAdded, countriesComing, proxySchemes, rules].map((rows) => rows.length);
    expect(counts).toEqual([3, 9, 3, 4, 13]);
    for (const { state, next } of watchStates)
      for (const name of [state, next]) expect(name).toMatch(/^(not )?watched$/);
  });

  it("lists each parameter's name, places, type and whether it is required", () => {
    for (const parameter of parameters)
      expect(parameter).toMatchObject({ name: expect.any(String), in: expect.any(Array) });
    expect(parameters.filter(({ type, required }) => type === undefined || required === undefined)).toEqual([]);
  });

  it('states the same maxima for limits and parameters', () => {
    const stated = limits.flatMap(({ limit, maximum, routes }) => (routes ?? []).map((name) => [name, limit, maximum]));
    const own = parameters.filter(({ maximum }) => maximum !== undefined);
    expect(stated).toEqual(own.map(({ route, name, maximum }) => [nameOf(route), name, maximum]).toSorted(byLimit));
  });

  it('lists how each route is authenticated', () => {
    const { header, value, paths, bodyField, session } = authentication;
    expect({ header, value }).toEqual({ header: 'Authorization', value: 'Token <API_KEY>' });
    const starting = (starts: string[]): string[] =>
      ROUTES.filter(({ path }) => starts.some((start) => path.startsWith(start))).map(nameOf);
    const taking = (name: string): string[] => [
      ...new Set(parameters.filter((p) => p.name === name).map((p) => nameOf(p.route))),
    ];
    expect(starting(paths)).toEqual(ROUTES.filter(({ group }) => group !== 'connector').map(nameOf));
    // The sign-in's key form takes a key as well. The SSO callback carries a state instead of the session.
    const [[apiPath, apiKey]] = Object.entries(bodyField) as [[string, string]];
    expect(taking(apiKey)).toEqual([...starting([apiPath]), 'POST /oauth/login']);
    const [[oauthPath, sessionValue]] = Object.entries(session) as [[string, string]];
    expect(taking(sessionValue)).toEqual(starting([oauthPath]).filter((name) => name !== 'GET /oauth/sso/callback'));
  });

  it('lists nothing twice', () => {
    const lists: Record<string, string[]> = {
      routes: ROUTES.map(nameOf),
      parameters: parameters.map(({ route, name }) => `${nameOf(route)} ${name}`),
      indicators: [...indicators.string, ...indicators.integer, ...indicators.double],
      watchFields: [...watchFields.current, ...watchFields.earlier, ...watchFields.inSamples],
      executiveFilters: [...Object.keys(FILTERS['v1 companies'].keys), ...Object.keys(FILTERS['v1 executives'].keys)],
      payeeRules: payeeRules.rules,
    };
    for (const [name, rows] of Object.entries(lists)) expect([name, new Set(rows).size]).toEqual([name, rows.length]);
  });

  it('uses only defined types, and gives every row a section', () => {
    const types = [...fieldTypes, ...parameters.flatMap(({ type }) => type ?? []), ...ROUTES.map(answerType)];
    for (const type of types) expect(() => readType(type)).not.toThrow();
    for (const { section } of [...ROUTES, ...Object.values(RECORDS), ...Object.values(FILTERS)]) {
      expect(section).not.toBe('');
    }
  });

  it('lists no record that nothing refers to', () => {
    const reached = new Set<string>();
    const reach = (type: string): void => {
      const shape = readType(type);
      if (shape.kind === 'record') {
        if (reached.has(shape.name)) return;
        reached.add(shape.name);
        for (const of of Object.values(shape.fields)) reach(of);
      } else if (shape.kind !== 'primitive') for (const of of [shape.of].flat()) reach(of);
    };
    for (const type of [...ROUTES.map(answerType), webhook.body]) reach(type);
    const bodies = Object.values(errors).flatMap((group) => Object.values(group) as { body: Record<string, string> }[]);
    for (const { body } of bodies) for (const type of Object.values(body)) reach(type);
    expect(Object.keys(RECORDS).filter((name) => !reached.has(name))).toEqual([]);
  });
});
