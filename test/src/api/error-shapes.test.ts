import { describe, expect, it } from 'vitest';

import {
  type ApiClient,
  type ApiError,
  AutocompleteFieldError,
  InternalApiError,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TokenVerificationError,
} from '../../../src/api/index.js';
import { rejection, reply, withApi } from './helpers.js';

const limitBody = (guard: string): object => ({
  access: {
    permission: 'browse',
    permission_name: 'Browse',
    module: 'companies',
    module_name: 'Companies',
    app: 'finder',
    app_name: 'Finder',
  },
  error_guard: guard,
  message_guard: 'You have reached the limit',
});

const v1Body = (error_name: string, code: object, data: object = {}): object => ({
  error_name,
  ...code,
  message: 'as said',
  data,
});

type ErrorClass = abstract new (...args: never[]) => ApiError;

/** Bodies that mean the same at every status. */
const anyStatus: [string, object, ErrorClass][] = [
  ['v2 token', { detail: 'Invalid token.' }, TokenVerificationError],
  ['v2 token, other words', { detail: 'Authentication credentials were not provided.' }, TokenVerificationError],
  ['v2 internal', { detail: 'Internal server error' }, InternalApiError],
  ['v2 invalid request', { per_page: ['Ensure this value is less than or equal to 50.'] }, InvalidRequestError],
  ['v2 invalid request, nested', { filters: { nace: ['Not a list.'] } }, InvalidRequestError],
  ['v2 daily limit', limitBody('limits.daily'), LimitError],
  ['v2 limit', limitBody('limit'), LimitError],
  ['v1 token', v1Body('TokenVerificationError', { code: 401 }, { token: 'x' }), TokenVerificationError],
  ['v1 invalid request', v1Body('InvalidRequest', { error_code: 406 }, { param: 'page' }), InvalidRequestError],
  ['v1 internal', v1Body('InternalError', { code: 500 }), InternalApiError],
  ['v1 not found', v1Body('IdNotFound', { error_code: 404 }, { id: 7 }), NotFoundError],
  ['v1 permission', v1Body('ProductPermissionDenied', { code: 403 }), PermissionDeniedError],
];

describe('errors recognized by body', () => {
  it.each(anyStatus)('classifies by body at any status: %s', async (_name, body, expected) => {
    const statuses = [200, 400, 401, 403, 404, 406, 418, 422, 500, 503];
    const routes = [
      async (client: ApiClient) => client.v2.company(1),
      async (client: ApiClient) => client.v2.prospecting({ page: 1 }),
    ];
    let status = 0;
    await withApi(
      (_request, response) => reply(response, status, body),
      async ({ client }) => {
        for (status of statuses) {
          for (const ask of routes) {
            const error = await rejection<ApiError>(ask(client));
            expect(error, `status ${status}`).toBeInstanceOf(expected);
            expect(error.status).toBe(status);
          }
        }
      },
      { maxRetries: 0 },
    );
  });
});

/** Bodies with two possible meanings, where the status decides. */
const byStatus: [number, unknown, ErrorClass][] = [
  [404, { detail: 'Not found.' }, NotFoundError],
  [404, { detail: 'No company matches the given query.' }, NotFoundError],
  [404, { detail: 'Gone' }, NotFoundError],
  [410, { detail: 'Gone' }, NotFoundError],
  [400, { detail: 'Company not found' }, NotFoundError],
  [500, { detail: 'Table not found' }, InternalApiError],
  [404, { detail: 'Internal server error' }, InternalApiError],
  [401, { detail: 'Who are you?' }, TokenVerificationError],
  [403, { detail: 'Authentication failed.' }, TokenVerificationError],
  [503, { detail: 'Authentication backend is down.' }, InternalApiError],
  [403, { detail: 'You do not have permission.' }, PermissionDeniedError],
  [400, { detail: 'You do not have permission to perform this action.' }, PermissionDeniedError],
  [200, { detail: 'Forbidden' }, PermissionDeniedError],
  [403, { detail: 'API key is missing the permission "financials".' }, PermissionDeniedError],
  [403, { message: 'Forbidden' }, PermissionDeniedError],
  [403, '', PermissionDeniedError],
  [402, { detail: 'Payment required.' }, PermissionDeniedError],
  [403, v1Body('ModuleAccessDenied', {}), PermissionDeniedError],
  [200, v1Body('NoSuchProduct', { code: 403 }), PermissionDeniedError],
  [500, { detail: 'Permission denied: /var/lib/data' }, InternalApiError],
  [400, { detail: 'Something went wrong' }, InternalApiError],
  [405, { detail: 'Method "GET" not allowed.' }, InvalidRequestError],
  [429, { detail: 'Request was throttled. Expected available in 5 seconds.' }, LimitError],
  [429, '<html>slow down</html>', LimitError],
  [429, { message: 'slow down' }, LimitError],
  [422, { detail: [{ loc: ['body', 'page'], msg: 'not an integer', type: 'int' }] }, InvalidRequestError],
];

describe('errors recognized by status', () => {
  it.each(byStatus)('classifies by status and body: %i with %j', async (status, body, expected) => {
    await withApi(
      (_request, response) => reply(response, status, body),
      async ({ client }) => expect(await rejection(client.v2.company(1))).toBeInstanceOf(expected),
      { maxRetries: 0 },
    );
  });
});

describe('fields of errors', () => {
  it('names rejected fields, nested ones with dots', async () => {
    await withApi(
      (_request, response) =>
        reply(response, 400, { page: ['Too high.', 'At most 10.'], filters: { nace: ['Unknown.'] } }),
      async ({ client }) => {
        const error = await rejection<InvalidRequestError>(client.v2.prospecting({ page: 11 }));
        expect(error.fields).toEqual({ page: ['Too high.', 'At most 10.'], 'filters.nace': ['Unknown.'] });
        expect(error.message).toContain('page: Too high. At most 10.');
        expect(error.message).toContain('POST /v2/prospecting');
      },
    );
  });

  it('names the parameter of a version 1 error', async () => {
    await withApi(
      (_request, response) => reply(response, 406, v1Body('InvalidRequest', { code: 406 }, { param: 'slug' })),
      async ({ client }) => {
        const error = await rejection<InvalidRequestError>(client.v1.tenderDetails('x'));
        expect(error.fields).toEqual({ slug: ['as said'] });
      },
    );
  });

  it('keeps guard and access of a LimitError', async () => {
    await withApi(
      (_request, response) => reply(response, 200, limitBody('limits.daily')),
      async ({ client, api }) => {
        const error = await rejection<LimitError>(client.v2.company(1));
        expect(error).toMatchObject({ guard: 'limits.daily', retryable: false, access: { module: 'companies' } });
        expect(api.seen).toHaveLength(1);
      },
    );
  });

  it('keeps the whole body of a 404', async () => {
    const body = { detail: `Not found. ${'x'.repeat(2000)}` };
    await withApi(
      (_request, response) => reply(response, 404, body),
      async ({ client, api }) => {
        const error = await rejection<NotFoundError>(client.v2.company(42));
        expect(error.body).toBe(JSON.stringify(body));
        expect(error.snippet.length).toBeLessThan(400);
        expect(error).toMatchObject({ status: 404, requestKey: 'GET /v2/companies/42', attempts: 1 });
        expect(Date.parse(error.fetchedAt)).not.toBeNaN();
        expect(api.seen).toHaveLength(1);
      },
    );
  });
});

describe('data that resembles an error', () => {
  it.each<[string, unknown]>([
    ['an empty report', {}],
    ['a report with an empty year', { '2023': {} }],
    ['a record with a field called detail', { id: 1, detail: 'Invalid token.' }],
    ['a record whose lists are empty', { id: null, company_phone: [] }],
  ])('reads as data: %s', async (_name, body) => {
    await withApi(
      (_request, response) => reply(response, 200, body),
      async ({ client }) => expect(JSON.parse((await client.v2.financial(1)).body)).toEqual(body),
    );
  });

  it('reads donors in any shape', async () => {
    await withApi(
      (_request, response) => reply(response, 200, { donors: ['A fund', 'A bank'] }),
      async ({ client }) => expect((await client.v1.tenderDonors()).data).toEqual({ donors: ['A fund', 'A bank'] }),
    );
  });
});

describe('autocomplete', () => {
  const body = {
    fields: ['At least one of name, registration_number, vat_number, website, phone_number is required.'],
  };

  it.each([200, 400, 500])('distinguishes the autocomplete error from a field "fields", status %i', async (status) => {
    await withApi(
      (_request, response) => reply(response, status, body),
      async ({ client }) => {
        const own = await rejection<AutocompleteFieldError>(client.v2.autocomplete({ country_code: 'DK' }));
        expect(own).toBeInstanceOf(AutocompleteFieldError);
        expect(own.messages).toEqual(body.fields);
        expect(await rejection(client.v2.watch.addFields(1, ['nonsense']))).toBeInstanceOf(InvalidRequestError);
      },
    );
  });
});

it.each([
  ['DailyLimitReached', 'as said', 'limits.daily'],
  ['LimitReached', 'The daily quota is used up.', 'limits.daily'],
  ['LimitReached', 'Too many requests.', 'limit'],
])('reads the guard of a version 1 limit: %s, %s', async (error_name, message, guard) => {
  await withApi(
    (_request, response) => reply(response, 200, { error_name, code: 429, message, data: {} }),
    async ({ client }) => expect(await rejection(client.v1.company(1))).toMatchObject({ guard }),
    { maxRetries: 0 },
  );
});
