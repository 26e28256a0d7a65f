import { inspect } from 'node:util';

import { describe, expect, it } from 'vitest';

import { createApiClient, type ApiError } from '../../../src/api/index.js';
import { rejection, reply, TEST_KEY, withApi } from './helpers.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1);
const spellings = [
  TEST_KEY,
  JSON.stringify(TEST_KEY).slice(1, -1),
  encodeURIComponent(TEST_KEY),
  base64(TEST_KEY),
  // Base64 of the key after `Token `: three bytes become four letters, so the key starts at a group boundary.
  base64(`Token ${TEST_KEY}`).slice(8),
  Buffer.from(TEST_KEY).toString('base64url').slice(0, -1),
  Buffer.from(TEST_KEY).toString('hex'),
];

/** Text with JSON escapes resolved. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\+u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\', '');
}

function assertNoKey(text: string): void {
  for (const spelling of spellings) expect(text).not.toContain(spelling);
  expect(unescaped(text)).not.toContain(TEST_KEY);
}

/** Everything that a log could show of a value. */
const everything = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, maxStringLength: null });

describe('redaction of the API key', () => {
  it('sends the API key in the header and shows it nowhere', async () => {
    await withApi(
      (_q, r) => reply(r, 200, { total_companies: 0, total_pages: 0, data: [] }),
      async ({ client, api, attempts }) => {
        const answer = await client.v2.prospecting({ filters: { website_keywords: [TEST_KEY] } });
        expect(api.seen[0]?.headers.authorization).toBe(`Token ${TEST_KEY}`);
        assertNoKey(api.seen[0]?.url ?? '');
        assertNoKey(everything([client, answer, attempts]));
        assertNoKey(JSON.stringify([client, answer, attempts]));
      },
    );
  });

  it.each<[string, number, unknown]>([
    [
      'a refusal that echoes it',
      401,
      { error_name: 'TokenVerificationError', code: 401, message: `${TEST_KEY} unknown`, data: { token: TEST_KEY } },
    ],
    ['a refused field', 400, { filters: [`${TEST_KEY} is no filter`] }],
    ['a limit', 403, { access: { app: TEST_KEY }, error_guard: 'limits.daily', message_guard: TEST_KEY }],
    ['what is not found', 404, { detail: `Not found: ${TEST_KEY}` }],
    ['base64 of the whole header', 401, { detail: `Invalid token: ${btoa(`Token ${TEST_KEY}`)}` }],
    ['base64 for URLs', 400, { a: [`?key=${Buffer.from(TEST_KEY).toString('base64url')}`] }],
    ['hex', 400, { a: [Buffer.from(TEST_KEY).toString('hex')] }],
    [
      'escapes of JSON',
      400,
      `{"a":["${TEST_KEY.split('')
        .map((c) => `\\u00${c.charCodeAt(0).toString(16)}`)
        .join('')}"]}`,
    ],
    ['a page that is no JSON', 502, `<html>${encodeURIComponent(TEST_KEY)}</html>`],
  ])('redacts the API key in %s', async (_name, status, body) => {
    await withApi(
      (_q, r) => reply(r, status, body),
      async ({ client }) => {
        const error = await rejection<ApiError>(client.v2.prospecting({ filters: { a: TEST_KEY } }));
        assertNoKey(everything(error));
        assertNoKey(`${error.message}${error.stack}${error.requestKey}`);
        expect(error.message).toContain('POST /v2/prospecting');
      },
      { maxRetries: 0 },
    );
  });

  it('redacts the API key in a redirect target', async () => {
    await withApi(
      (_q, r) => reply(r, 302, '', { location: `https://elsewhere.example/?key=${encodeURIComponent(TEST_KEY)}` }),
      async ({ client }) => {
        const error = await rejection<ApiError>(client.v2.metrics());
        assertNoKey(everything(error));
        expect(error.message).toContain('redirects to https://elsewhere.example/?key=[redacted]');
      },
    );
  });

  it('redacts an echoed key in a record that stays JSON', async () => {
    await withApi(
      (_q, r) => reply(r, 200, { id: 1, name: `x${TEST_KEY}y` }),
      async ({ client }) => {
        const answer = await client.v2.company(1);
        expect(answer.data).toEqual({ id: 1, name: 'x[redacted]y' });
        expect(JSON.parse(answer.body)).toEqual(answer.data);
      },
    );
  });

  it('keeps data unchanged for a short key, but redacts errors', async () => {
    await withApi(
      (_q, r, n) =>
        n === 1 ? reply(r, 200, { id: 1, name: 'demo works' }) : reply(r, 404, { detail: 'demo not found' }),
      async ({ client }) => {
        expect((await client.v2.company(1)).data).toEqual({ id: 1, name: 'demo works' });
        const error = await rejection<ApiError>(client.v2.company('demo'));
        expect(everything(error)).not.toMatch(/(?<!\/)demo not/);
        expect(error.requestKey).toBe('GET /v2/companies/[redacted]');
      },
      { apiKey: 'demo' },
    );
  });

  it.each(['', 'a b', 'key\n'])('rejects an API key that no header can hold: %j', (apiKey) => {
    expect(() => createApiClient({ baseUrl: 'http://127.0.0.1', apiKey })).toThrow(/API key/);
  });
});

it.each(['nonsense', 'ftp://host', 'http://user:pass@host', 'http://host?key=1'])(
  'rejects the base URL %j',
  (baseUrl) => {
    expect(() => createApiClient({ baseUrl, apiKey: 'k' })).toThrow(/baseUrl/);
  },
);
