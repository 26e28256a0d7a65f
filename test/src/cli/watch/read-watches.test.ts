import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiClient, type ApiClient } from '../../../../src/api/index.js';
import { readMissingFields, readWatches } from '../../../../src/cli/watch/read-watches.js';

// An API whose list of watched companies gives no fields, or gives them for one company only.
const asked: string[] = [];
const server = createServer((request, response) => {
  const where = request.url ?? '';
  asked.push(where);
  const list = { total_results: 3, pages: 1, data: [{ id: '1' }, { id: 2, fields: ['company.name'] }, { id: '3' }] };
  const answers: Record<string, [number, unknown]> = {
    '/v2/companies/1/watch/fields': [200, ['company.status']],
    '/v2/companies/3/watch/fields': [404, { detail: 'Not found.' }],
  };
  const [status, body] = answers[where] ?? [200, list];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
let client: ApiClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createApiClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'a-key', maxRetries: 0 });
});
afterAll(async () => {
  await client.close();
  server.close();
});

it('asks for the fields of the companies for which the list gives none', async () => {
  const watches = await readMissingFields(client, await readWatches(client));
  expect(watches.map(({ id, fields }) => [id, fields])).toEqual([
    ['1', ['company.status']],
    ['2', ['company.name']],
    ['3', null],
  ]);
  expect(asked.filter((where) => where.endsWith('/fields')).toSorted()).toEqual([
    '/v2/companies/1/watch/fields',
    '/v2/companies/3/watch/fields',
  ]);
});
