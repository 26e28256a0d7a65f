import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { V1_ERROR_STATUS } from '../../schemas/v1/error.js';
import { Nomenclatures, TenderNomenclatures } from '../../schemas/v1/nomenclature.js';
import { TENDER_SORT_KEYS } from '../../schemas/v1/tender.js';
import { INDICATORS } from '../../schemas/v2/indicators.js';
import { OVERVIEW_MAX_PER_PAGE } from '../../schemas/v2/overview.js';
import { PAYEE_PROXY_SCHEMES, PayeeDecision } from '../../schemas/v2/payee.js';
import { MAX_PAGE, SIC_CODE_FILTERS, TURNOVER_CURRENCIES, YOY_FILTERS } from '../../schemas/v2/prospecting.js';
import { LEGACY_WATCH_FIELDS, WATCH_FIELDS } from '../../schemas/v2/watch-fields.js';
import { SIGNATURE_HEADER } from '../../schemas/v2/watch.js';
import { OPERATIONS } from '../../sandbox/contract/openapi.js';
import { ALTERNATE_OPERATIONS } from '../../sandbox/contract/v2-operations.js';
import { startApp, type Running } from '../sandbox/running.js';
import * as reference from './reference.js';
import { answerType, FILTERS, nameOf, ROUTES, type Parameter, type Route } from './reference.js';
import { INDICATOR_KINDS, readType } from './types.js';

/*
 * Compares the listed reference with the code in both directions: anything that one has and the other lacks fails.
 * Request and answer schemas are read from the OpenAPI document made from them.
 */

/** The parts of JSON Schema that these tests read. */
interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  default?: unknown;
  maximum?: number;
}

interface Description {
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema?: Schema }> }>;
}

let app: Running;
let paths: Record<string, Record<string, Description>>;
beforeAll(async () => {
  app = await startApp({ companies: 30 });
  ({ paths } = (await app.get<{ paths: typeof paths }>('/openapi.json')).body);
});
afterAll(() => app.close());

const describedAs = ({ path, method }: Route): Description => paths[path]![method.toLowerCase()]!;
const rows = ROUTES.map((route) => [nameOf(route), route] as const);
const sorted = (names: Iterable<string>): string[] => [...names].toSorted();

describe('routes', () => {
  it('serves and describes exactly the routes of the reference', () => {
    const names = sorted(ROUTES.map(nameOf));
    const besides = [...ALTERNATE_OPERATIONS.map(nameOf), 'GET /openapi.json', 'GET /metrics'];
    const served = app.routes().filter((route) => !/^\w+ \/(_sandbox|docs)/.test(route) && !besides.includes(route));
    expect(sorted(served)).toEqual(names);
    expect(sorted(OPERATIONS.map(nameOf))).toEqual(names);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(sorted(described.filter((route) => !besides.includes(route)))).toEqual(names);
  });
});

/** JSON types that a type of the reference may have; null means any. */
function jsonTypesOf(type: string): string[] | null {
  const known: Record<string, string> = {
    array: 'array',
    object: 'object',
    integer: 'integer',
    number: 'number',
    boolean: 'boolean',
    null: 'null',
    range: 'object',
    'date range': 'object',
    any: '',
  };
  if (type in known) return known[type] === '' ? null : [known[type]!];
  const shape = readType(type);
  if (shape.kind === 'record') return ['object'];
  if (shape.kind === 'union') return shape.of.flatMap((member) => jsonTypesOf(member) ?? []);
  return shape.kind === 'primitive' ? [typeof shape.primitive.example(1)] : [shape.kind];
}

const NUMBERS = ['integer', 'number'];

/** JSON types that a schema accepts; an integer id also counts as a number. */
function typesIn(schema: Schema): string[] {
  const own = [schema.type ?? []].flat().flatMap((type) => (NUMBERS.includes(type) ? NUMBERS : [type]));
  return [...own, ...(schema.anyOf ?? []).flatMap(typesIn)];
}

const memberOf = (schema: Schema, type: string): Schema =>
  schema.anyOf?.map((member) => memberOf(member, type)).find((member) => typesIn(member).includes(type)) ?? schema;

/** Asserts that a schema accepts everything that the reference allows, also inside lists and records. */
function expectTaken(at: string, type: string | null, schema: Schema): void {
  const types = type === null ? null : jsonTypesOf(type.replace(/\?$/, ''));
  if (type === null || types === null) return;
  expect(typesIn(schema), at).toEqual(expect.arrayContaining(types));
  const list = /^array of (.*?)( \| null)?$/.exec(type);
  if (list) expectTaken(`${at}[]`, list[1]!.replace(/^\((.*)\)$/, '$1'), memberOf(schema, 'array').items!);
}

/** Asserts that a schema has exactly the fields of a type, at every depth. */
function expectSameFields(at: string, type: string, schema: Schema): void {
  const shape = readType(type);
  if (shape.kind === 'array') return expectSameFields(`${at}[]`, shape.of, memberOf(schema, 'array').items!);
  if (shape.kind !== 'record') return expectTaken(at, type, schema);
  const { properties = {} } = memberOf(schema, 'object');
  expect(sorted(Object.keys(properties)), at).toEqual(sorted(Object.keys(shape.fields)));
  for (const [field, of] of Object.entries(shape.fields)) expectSameFields(`${at}.${field}`, of, properties[field]!);
}

/** Extra parameters of the sandbox; its README gives the reasons. */
const BESIDES: Record<string, string[]> = {
  'POST /v2/autocomplete': ['phone_number'],
  'GET /v2/financial/ticker': ['year'],
  'GET /v2/kyb/{id}/ubo': ['threshold'],
  'POST /v2/kyb/{id}/ubo/enrich': ['threshold'],
  'POST /v2/know-your-payee': [
    'country_code',
    'id_scheme',
    'id',
    'holding_entity',
    'identity_type',
    'identity_value',
    'company_id',
    'registration_number',
    'name',
  ],
};

describe('parameters in the OpenAPI document', () => {
  it.each(rows)('describes the documented parameters of %s', (name, route) => {
    const { parameters, requestBody } = describedAs(route);
    const [content] = Object.entries(requestBody?.content ?? {});
    const place = content?.[0].includes('form') ? 'form' : 'body';
    const { properties = {}, required = [] } = content?.[1].schema ?? {};
    const described = new Map([
      ...parameters.map((parameter) => [parameter.name, parameter] as const),
      ...Object.entries(properties).map(
        ([key, schema]) => [key, { name: key, in: place, required: required.includes(key), schema }] as const,
      ),
    ]);
    const besides = BESIDES[name] ?? [];
    expect(sorted([...route.parameters.map((parameter) => parameter.name), ...besides])).toEqual(
      sorted(described.keys()),
    );
    for (const parameter of route.parameters) expectSameParameter(`${name} ${parameter.name}`, parameter, described);
  });

  function expectSameParameter(
    at: string,
    parameter: Parameter,
    described: Map<string, Description['parameters'][0]>,
  ): void {
    const { in: place, required, schema } = described.get(parameter.name)!;
    expect(parameter.in, at).toContain(place);
    // Path parameters are always text.
    if (place !== 'path') expectTaken(at, parameter.type, schema);
    if (parameter.required !== null) expect(required, at).toBe(parameter.required);
    if (parameter.maximum !== undefined) expect(schema.maximum, at).toBe(parameter.maximum);
    if (schema.default !== undefined) expect(schema.default, at).toBe(parameter.default);
  }
});

describe('answer fields in the OpenAPI document', () => {
  it.each(rows.filter(([, { response }]) => response !== null))(
    'describes exactly the documented answer fields of %s',
    (name, route) => {
      const { responses } = describedAs(route);
      const [status, { content }] = Object.entries(responses).find(([code]) => code.startsWith('2'))!;
      if (route.status !== null) expect(Number(status)).toBe(route.status);
      expectSameFields(name, answerType(route), content['application/json']!.schema!);
    },
  );
});

describe('filters in the OpenAPI document', () => {
  it.each(Object.entries(FILTERS))('describes the documented filters with their types: %s', (name, table) => {
    const route = reference.routeNamed(table.route);
    const body = describedAs(route).requestBody!.content['application/json']!.schema;
    const filters = body.properties!['filters']!;
    const { properties } = 'under' in table ? filters.properties![table.under]! : filters;
    const keys: Record<string, string> = { ...('extends' in table && FILTERS['v1 companies'].keys), ...table.keys };
    expect(sorted(Object.keys(properties!))).toEqual(sorted(Object.keys(keys)));
    for (const [key, type] of Object.entries(keys)) {
      expectTaken(`${name} ${key}`, type, properties![key]!);
      if (!/range/.test(type)) continue;
      const bounds = Object.keys(memberOf(properties![key]!, 'object').properties!).filter(
        (bound) => bound !== 'currency',
      );
      expect(bounds).toEqual('range' in table ? table.range : FILTERS['v1 companies'].range);
    }
  });
});

describe('constants in schemas/', () => {
  const { errors, limits, nomenclatures, payeeRules, RECORDS, watchFields, webhook } = reference;
  const prospecting = Object.keys(FILTERS.prospecting.keys);
  const maximumOf = (name: string) => limits.find(({ limit }) => limit === name)!.maximum;
  const lists = Object.keys(Nomenclatures.shape);

  it.each<[string, unknown, unknown]>([
    ['indicators', new Map(INDICATORS), INDICATOR_KINDS],
    ['watch fields', sorted(WATCH_FIELDS), sorted(watchFields.current)],
    ['earlier watch fields', sorted(LEGACY_WATCH_FIELDS), sorted([...watchFields.earlier, ...watchFields.inSamples])],
    ['national codes', sorted(SIC_CODE_FILTERS), sorted(prospecting.filter((key) => key.startsWith('sic_code_')))],
    ['year-on-year filters', sorted(YOY_FILTERS), sorted(prospecting.filter((key) => key.startsWith('yoy_')))],
    ['currencies of turnover', [...TURNOVER_CURRENCIES], FILTERS.prospecting.financial_turnover.currencies],
    ['sort keys of tenders', sorted(TENDER_SORT_KEYS), sorted(FILTERS.tenders.sort)],
    ['largest page', MAX_PAGE, maximumOf('page')],
    ['largest per_page of company search', OVERVIEW_MAX_PER_PAGE, maximumOf('per_page')],
    [
      'statuses of version 1',
      V1_ERROR_STATUS,
      Object.fromEntries(Object.entries(errors.v1).map(([name, { status }]) => [name, status])),
    ],
    ['lookup lists', sorted(lists), sorted(Object.keys(RECORDS['Nomenclatures']!.fields))],
    [
      'lookup lists with stated values',
      sorted([...Object.keys(nomenclatures.companies), 'countries', 'technologies']),
      sorted(lists),
    ],
    [
      'lookup lists of tenders',
      sorted(Object.keys(TenderNomenclatures.shape)),
      sorted([...Object.keys(nomenclatures.tenders), 'countries']),
    ],
    ['decisions of payee checks', PayeeDecision.options, payeeRules.decisions],
    ['proxy identifiers', [...PAYEE_PROXY_SCHEMES], payeeRules.proxySchemes],
    ['signature header', SIGNATURE_HEADER, webhook.signature.toLowerCase()],
  ])('matches the reference: %s', (_name, here, stated) => {
    expect(here).toEqual(stated);
  });
});
