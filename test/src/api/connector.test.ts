import { inspect } from 'node:util';

import { describe, expect, it } from 'vitest';

import { CONNECTOR_OPERATIONS } from '../../../sandbox/contract/connector-operations.js';
import {
  BodyError,
  ContractError,
  createApiClient,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TokenVerificationError,
  ValidationError,
  type ApiClient,
  type ApiError,
} from '../../../src/api/index.js';
import { rejection, reply, startStubApi, TEST_KEY, withApi, type SeenRequest } from './helpers.js';

type Connector = ApiClient['connector'];

/** Method, path, sent values (query, JSON or form), and the call. */
const routes: [string, string, Record<string, unknown> | null, (connector: Connector) => Promise<unknown>][] = [
  ['GET', '/', null, (c) => c.landing()],
  ['GET', '/health', null, (c) => c.health()],
  ['GET', '/playground', null, (c) => c.playground()],
  ['GET', '/.well-known/assistant-apps-challenge', null, (c) => c.challenge()],
  ['POST', '/api/verify-token', { api_key: TEST_KEY }, (c) => c.verifyToken()],
  ['POST', '/api/company-by-url', { url: 'a.example', api_key: TEST_KEY }, (c) => c.companyByUrl('a.example')],
  ['POST', '/api/company-by-pronet', { pronet_url: 'p', api_key: TEST_KEY }, (c) => c.companyByPronet('p')],
  [
    'POST',
    '/api/company-financials',
    { company_id: '5', year: 2024, api_key: TEST_KEY },
    (c) => c.companyFinancials(5, 2024),
  ],
  [
    'POST',
    '/api/autocomplete',
    { country_code: 'DK', name: null, api_key: TEST_KEY },
    (c) => c.autocomplete({ country_code: 'DK', name: null }),
  ],
  [
    'POST',
    '/api/nomenclature',
    { nomenclature_type: 'department', parent: '833', api_key: TEST_KEY },
    (c) => c.nomenclature('department', '833'),
  ],
  [
    'POST',
    '/api/prospecting',
    { page: 2, filters: { nace: ['62'] }, sorting: [{ name: 'asc' }], api_key: TEST_KEY },
    (c) => c.prospecting({ page: 2, filters: { nace: ['62'] }, sorting: [{ name: 'asc' }] }),
  ],
  ['POST', '/api/company-details', { company_id: '5', api_key: TEST_KEY }, (c) => c.companyDetails('5')],
  ['POST', '/api/company-ownership', { company_id: '5', api_key: TEST_KEY }, (c) => c.companyOwnership(5)],
  ['GET', '/oauth/login', { session: 's+1' }, (c) => c.oauth.loginScreen('s+1')],
  ['POST', '/oauth/login', { session: 's+1', api_key: TEST_KEY }, (c) => c.oauth.signInWithKey('s+1')],
  ['GET', '/oauth/sso/start', { session: 's+1' }, (c) => c.oauth.startSso('s+1')],
  ['GET', '/oauth/sso/callback', { code: 'c', state: 't' }, (c) => c.oauth.endSso({ code: 'c', state: 't' })],
  ['GET', '/oauth/trial', { session: 's+1', email: 'a@b.example' }, (c) => c.oauth.trialScreen('s+1', 'a@b.example')],
  ['POST', '/oauth/trial', { session: 's+1', email: 'a@b.example' }, (c) => c.oauth.startTrial('s+1', 'a@b.example')],
  [
    'POST',
    '/oauth/trial/verify',
    { session: 's+1', email: 'a@b.example', code: '123456' },
    (c) => c.oauth.verifyTrial('s+1', 'a@b.example', '123456'),
  ],
  ['GET', '/oauth/consent', { session: 's+1' }, (c) => c.oauth.consentScreen('s+1')],
  ['POST', '/oauth/consent', { session: 's+1' }, (c) => c.oauth.accept('s+1')],
  ['POST', '/oauth/deny', { session: 's+1' }, (c) => c.oauth.deny('s+1')],
];

/** Values that a request sent as query, form or JSON. */
function sentBy({ url, headers, body }: SeenRequest): unknown {
  const query = url.split('?')[1];
  if (query !== undefined) return Object.fromEntries(new URLSearchParams(query));
  if (body === '') return null;
  if (headers['content-type'] === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(body));
  }
  return JSON.parse(body);
}

const everything = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, maxStringLength: null });

describe('routes of the connector', () => {
  it('has one function per connector route', () => {
    expect(routes.map(([method, path]) => `${method} ${path}`)).toEqual(
      CONNECTOR_OPERATIONS.map(({ method, path }) => `${method} ${path}`),
    );
  });

  it.each(routes)('sends the documented request: %s %s', async (method, path, sent, call) => {
    await withApi(
      (_request, response) => reply(response, 200, {}),
      async ({ client, api, attempts }) => {
        const answer = await call(client.connector);
        expect(api.seen).toHaveLength(1);
        const [request] = api.seen as [SeenRequest];
        expect([request.method, request.url.split('?')[0], sentBy(request)]).toEqual([method, path, sent]);
        expect(request.headers).not.toHaveProperty('authorization');
        const form = method === 'POST' && path.startsWith('/oauth');
        if (method === 'POST') {
          expect(request.headers['content-type']).toBe(form ? 'application/x-www-form-urlencoded' : 'application/json');
        }
        expect(attempts.map(({ endpoint }) => endpoint)).toEqual([`${method} ${path}`]);
        const shown = everything([answer, attempts]);
        for (const secret of [TEST_KEY, JSON.stringify(TEST_KEY).slice(1, -1), 's+1', 's%2B1', '123456']) {
          expect(shown).not.toContain(secret);
        }
      },
    );
  });

  it('uses connectorUrl for the connector and baseUrl for other routes', async () => {
    const connector = await startStubApi((_request, response) => reply(response, 200, { status: 'ok' }));
    try {
      await withApi(
        (_request, response) => reply(response, 200, { id: 1 }),
        async ({ client, api }) => {
          await client.connector.health();
          await client.v2.company(1);
          expect(connector.seen.map(({ url }) => url)).toEqual(['/app/health']);
          expect(api.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
            ['/v2/companies/1', `Token ${TEST_KEY}`],
          ]);
        },
        { connectorUrl: `${connector.url}/app/` },
      );
    } finally {
      await connector.close();
    }
    for (const connectorUrl of ['ftp://a.example', 'nowhere', 'https://user:pw@a.example']) {
      expect(() => createApiClient({ baseUrl: 'http://127.0.0.1', connectorUrl, apiKey: 'k' })).toThrow(
        /api\.connectorUrl/,
      );
    }
  });
});

describe('answers of connector routes', () => {
  it.each<[string, unknown, boolean]>([
    ['the record of version 2', { id: '7', name: 'A', more: [1] }, true],
    ['a record without an id', { company: { id: 7 } }, false],
    ['a list', [{ id: 7 }], false],
    ['nothing but null', null, false],
    ['lists of texts, which under 400 would be an error', { names: ['a'] }, false],
  ])('keeps any answer and marks whether it fits: %s', async (_name, body, fits) => {
    await withApi(
      (_request, response) => reply(response, 200, body),
      async ({ client }) => {
        const { data } = await client.connector.companyDetails(7);
        expect(data).toEqual({ fits, value: body });
      },
    );
  });

  it('reads text totals as numbers and ownership unchanged', async () => {
    await withApi(
      (request, response) =>
        reply(
          response,
          200,
          request.url.endsWith('prospecting') ? { total_companies: '3', total_pages: 1, data: [] } : [1],
        ),
      async ({ client }) => {
        const { data } = await client.connector.prospecting();
        expect(data.fits && data.value.total_companies).toBe(3);
        expect((await client.connector.companyOwnership(7)).data).toEqual([1]);
      },
    );
  });
});

describe('errors of the connector', () => {
  const detail = [
    { loc: ['body', 'year'], msg: 'Input should be a valid integer', type: 'int_parsing', input: TEST_KEY },
    { loc: ['body', 'filters', 0], msg: 'Field required', type: 'missing' },
  ];

  it.each(['api', 'oauth'])('turns a 422 of /%s into a ValidationError without the key', async (part) => {
    await withApi(
      (_request, response) => reply(response, 422, { detail }),
      async ({ client, api }) => {
        const { connector } = client;
        const error = await rejection<ValidationError>(
          part === 'api' ? connector.companyFinancials(1, 2024) : connector.oauth.signInWithKey('s'),
        );
        expect(error).toBeInstanceOf(ValidationError);
        expect(error).toBeInstanceOf(InvalidRequestError);
        expect(error.name).toBe('ValidationError');
        expect(error.fields).toEqual({
          'body.year': ['Input should be a valid integer'],
          'body.filters.0': ['Field required'],
        });
        expect(error.items).toEqual([{ ...detail[0], input: '[redacted]' }, detail[1]]);
        expect(api.seen).toHaveLength(1);
        expect(everything(error)).not.toContain('secret');
      },
    );
  });

  it('classifies connector errors like those of version 2', async () => {
    const answers: [number, unknown, new (...given: never[]) => ApiError][] = [
      [401, { detail: 'Invalid API key.' }, TokenVerificationError],
      [404, { detail: 'Not found.' }, NotFoundError],
      [400, { page: ['At most 10.'] }, InvalidRequestError],
      [429, { error_guard: 'limits.daily', message_guard: 'no more' }, LimitError],
      [418, { odd: 1 }, ContractError],
    ];
    for (const [status, body, expected] of answers) {
      await withApi(
        (_request, response) => reply(response, status, body),
        async ({ client }) => expect(await rejection(client.connector.companyDetails(1))).toBeInstanceOf(expected),
      );
    }
  });
});

describe('screens of the sign-in', () => {
  const html = '<!DOCTYPE html><html><head><title>Cannot go on</title></head><body>…</body></html>';

  it('returns screens as text with redirect target and cookies', async () => {
    await withApi(
      (request, response) => {
        if (request.method === 'GET') reply(response, 200, html, { 'content-type': 'text/html' });
        else {
          response.writeHead(303, {
            location: '/oauth/consent?session=s',
            'set-cookie': ['a=1; Path=/oauth; HttpOnly', 'b=x=2; Secure'],
          });
          response.end();
        }
      },
      async ({ client, api }) => {
        const { oauth } = client.connector;
        expect((await oauth.loginScreen('s')).data).toEqual({ text: html, location: null, cookies: [] });
        const { data, status } = await oauth.signInWithKey('s');
        expect([status, data]).toEqual([
          303,
          { text: '', location: '/oauth/consent?session=s', cookies: ['a=1', 'b=x=2'] },
        ]);
        const masked = await oauth.signInWithKey('s', { mask: (shown) => shown.replace('session=s', 'session=…') });
        expect(masked.data.location).toBe('/oauth/consent?session=…');
        await oauth.consentScreen('s', { cookies: ['a=0', ...data.cookies] });
        expect(api.seen.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined, 'a=1; b=x=2']);
        expect(new Set(api.seen.map(({ headers }) => headers.accept))).toEqual(new Set(['text/html']));
      },
    );
  });

  it.each<[number, new (...given: never[]) => ApiError, number]>([
    [401, TokenVerificationError, 1],
    [403, PermissionDeniedError, 1],
    [404, NotFoundError, 1],
    [409, ContractError, 1],
    [429, LimitError, 3],
    [502, BodyError, 3],
  ])('rejects a screen of status %i and quotes its title', async (status, expected, tries) => {
    await withApi(
      (_request, response) => reply(response, status, html, { 'content-type': 'text/html' }),
      async ({ client, api }) => {
        const error = await rejection<ApiError>(client.connector.oauth.consentScreen('s'));
        expect(error).toBeInstanceOf(expected);
        expect(error.message).toContain('Cannot go on');
        expect(api.seen).toHaveLength(tries);
      },
      { maxRetries: 2 },
    );
  });

  it('does not repeat a sign-in step after a fault', async () => {
    await withApi(
      (_request, response) => reply(response, 500, html),
      async ({ client, api }) => {
        const { oauth } = client.connector;
        await rejection(oauth.startTrial('s', 'a@b.example'));
        await rejection(oauth.verifyTrial('s', 'a@b.example', '1'));
        await rejection(oauth.signInWithKey('s'));
        await rejection(oauth.endSso({ code: 'c', state: 't' }));
        await rejection(oauth.accept('s'));
        await rejection(oauth.deny('s'));
        expect(api.seen).toHaveLength(6);
      },
    );
  });

  it('redacts an API key that a screen echoes', async () => {
    await withApi(
      (_request, response) => reply(response, 401, `<title>${TEST_KEY} is no key</title>`),
      async ({ client }) => {
        const error = await rejection(client.connector.oauth.signInWithKey('s'));
        expect(error.message).toContain('[redacted] is no key');
        expect(everything(error)).not.toContain('secret');
      },
    );
  });
});
