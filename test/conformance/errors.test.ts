import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  AutocompleteFieldError,
  createApiClient,
  InternalApiError,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TokenVerificationError,
  ValidationError,
  type ApiClient,
} from '../../src/api/index.js';
import { rejection } from '../src/api/helpers.js';
import { CLIENT_CALLS } from './client-calls.js';
import { expectError, type ErrorName } from './error-shapes.js';
import { Observed } from './observed.js';
import { errors, nameOf, RECORDS, ROUTES, type Route } from './reference.js';
import { startConformance, type Answer, type AskOptions, type Conformance, type Given } from './sandbox-calls.js';

let api: Conformance;
let client: ApiClient;
beforeAll(async () => {
  api = await startConformance();
  await api.app.send('POST', '/_sandbox/keys', { key: 'may-nothing', permissions: [] });
  client = clientWith(api.app.sandbox.options.key);
});
beforeEach(async () => {
  await api.app.send('DELETE', '/_sandbox/faults');
  await api.app.send('POST', '/_sandbox/quota', { dailyLimit: 0, used: 0 });
  await api.app.send('POST', `/v2/companies/${api.id}/watch/start`, {});
});
afterAll(async () => {
  await client.close();
  await api.app.close();
});

function clientWith(apiKey: string): ApiClient {
  return createApiClient({ baseUrl: api.app.url, apiKey, maxRetries: 0 });
}

const rowsOf = (group: Route['group']): [name: string, route: Route][] =>
  ROUTES.filter((route) => route.group === group && !route.path.startsWith('/oauth')).map((route) => [
    nameOf(route),
    route,
  ]);
const v2 = rowsOf('v2');
const v1 = rowsOf('v1');

function ask(name: string, changes: Given = {}, options: AskOptions = {}): Promise<Answer> {
  return api.ask(name, { ...api.calls[name], ...changes }, options);
}

/** The client's error for the same call. */
async function clientError(name: string, changes: Given = {}, by: ApiClient = client): Promise<Error> {
  return rejection(CLIENT_CALLS[name]!(by, { ...api.calls[name], ...changes } as never));
}

const TOKENS = ['Token wrong', 'Bearer x', ''];

describe('TokenVerificationError', () => {
  it.each([...v2, ...v1])('answers TokenVerificationError to a wrong token: %s', async (name, { group }) => {
    for (const authorization of TOKENS) {
      expectError(await ask(name, {}, { headers: { authorization } }), group as 'v1' | 'v2', 'TokenVerificationError');
    }
    const stranger = clientWith('wrong');
    expect(await clientError(name, {}, stranger)).toBeInstanceOf(TokenVerificationError);
    await stranger.close();
  });
});

describe('InternalError', () => {
  it.each([...v2, ...v1])('answers InternalError during a fault: %s', async (name, { group }) => {
    await api.app.send('POST', '/_sandbox/faults', { times: 0 });
    expectError(await ask(name), group as 'v1' | 'v2', 'InternalError');
    expect(await clientError(name)).toBeInstanceOf(InternalApiError);
  });
});

/** Not counted by the quota (sandbox/README.md): metrics, watching, and reading a job that was counted when started. */
const FREE = /metrics|\/watch|ubo\/enrich\/|GET \/v2\/know-your-payee/;

describe('LimitError', () => {
  const data = v2.filter(([name]) => !FREE.test(name));
  it.each(data)('answers LimitError above the daily limit: %s', async (name) => {
    await api.app.send('POST', '/_sandbox/quota', { dailyLimit: 5, used: 5 });
    const answer = await ask(name);
    expectError(answer, 'v2', 'LimitError');
    expect((answer.body as Given)['error_guard']).toBe(errors.v2.LimitError.guards[0]);
    expect(await clientError(name)).toMatchObject({ constructor: LimitError, guard: 'limits.daily', retryable: false });
  });

  it('returns every documented LimitError field, under both guards', async () => {
    await api.app.send('POST', '/_sandbox/quota', { dailyLimit: 1, used: 1 });
    const { body } = await ask('GET /v2/companies/{id}');
    const seen = new Observed().take('LimitError access', (body as Given)['access'], 'access');
    expect(seen.filled.size).toBe(Object.keys(RECORDS['LimitError access']!.fields).length);
    const sentinel = await ask('GET /v2/companies/{id}', { id: 900000430 });
    expectError(sentinel, 'v2', 'LimitError');
    expect((sentinel.body as Given)['error_guard']).toBe(errors.v2.LimitError.guards[1]);
  });

  it('exempts metrics, watching and version 1 from the daily limit', async () => {
    await api.app.send('POST', '/_sandbox/quota', { dailyLimit: 1, used: 1 });
    const free = [...v2.filter(([name]) => FREE.test(name)), ...v1];
    // The DELETE comes last, because it ends the watch that other calls need.
    for (const [name] of free.toSorted(([a], [b]) => Number(a.startsWith('DELETE')) - Number(b.startsWith('DELETE')))) {
      expect([name, (await ask(name)).status < 300]).toEqual([name, true]);
    }
  });
});

describe('InvalidRequest', () => {
  it('names every wrong field in InvalidRequest', async () => {
    const answer = await ask('POST /v2/prospecting', { page: 'x', per_page: 'y', filters: { nace: 5 } });
    expectError(answer, 'v2', 'InvalidRequest');
    expect(Object.keys(answer.body as object).toSorted()).toEqual(['nace', 'page', 'per_page']);
    const changes = { page: 'x', filters: {} };
    expect(await clientError('POST /v2/prospecting', changes)).toBeInstanceOf(InvalidRequestError);
    expect(await clientError('POST /v1/finder/companies', changes)).toBeInstanceOf(InvalidRequestError);
    expect(await clientError('POST /api/prospecting', changes)).toBeInstanceOf(ValidationError);
  });
});

describe('the error of autocomplete', () => {
  const name = 'POST /v2/autocomplete';
  it('refuses autocomplete by country alone', async () => {
    for (const given of [{}, { country_code: 'GB' }]) {
      expectError(await api.ask(name, given), 'v2', 'Autocomplete field error');
    }
    const error = await rejection(client.v2.autocomplete({ country_code: 'GB' }));
    expect(error).toBeInstanceOf(AutocompleteFieldError);
  });

  it.each(errors.v2['Autocomplete field error'].oneOf)('accepts autocomplete by country and %s', async (field) => {
    const given = { ...api.calls[name], phone_number: api.company.company_phone![0] } as Given;
    expect((await api.ask(name, { country_code: given['country_code'], [field]: given[field] })).status).toBe(200);
  });
});

describe('IdNotFound', () => {
  const asking = v1.filter(([, { parameters }]) => parameters.some(({ name }) => name === 'id' || name === 'slug'));
  it.each(asking)('answers IdNotFound to an unknown id or slug: %s', async (name) => {
    const nobody = 'slug' in api.calls[name]! ? { slug: 'no-such-tender' } : { id: 4 };
    expectError(await ask(name, nobody), 'v1', 'IdNotFound');
    expect(await clientError(name, nobody)).toBeInstanceOf(NotFoundError);
  });
});

describe('ProductPermissionDenied', () => {
  const open = ['GET /v1/finder/nomenclatures', 'POST /v1/finder/nomenclatures'];
  const headers = { authorization: 'Token may-nothing' };
  it.each(v1.filter(([name]) => !open.includes(name)))(
    'answers ProductPermissionDenied to a key without permission: %s',
    async (name) => {
      expectError(await ask(name, {}, { headers }), 'v1', 'ProductPermissionDenied');
      const nobody = clientWith('may-nothing');
      expect(await clientError(name, {}, nobody)).toBeInstanceOf(PermissionDeniedError);
      await nobody.close();
    },
  );

  it.each(open)('requires no permission for %s', async (name) => {
    expect((await ask(name, {}, { headers })).status).toBe(200);
  });
});

it('tests every error of the reference here or in parameters.test.ts', () => {
  const tested: { [G in keyof typeof errors]: ErrorName<G>[] } = {
    v2: ['TokenVerificationError', 'InvalidRequest', 'InternalError', 'LimitError', 'Autocomplete field error'],
    v1: ['TokenVerificationError', 'InvalidRequest', 'InternalError', 'IdNotFound', 'ProductPermissionDenied'],
    connector: ['Validation error'],
  };
  for (const group of ['v2', 'v1', 'connector'] as const) expect(Object.keys(errors[group])).toEqual(tested[group]);
});
