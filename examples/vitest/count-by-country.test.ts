import { createApiClient, type ApiClient } from 'tidemark/client';
import { startSandbox, type RunningSandbox } from 'tidemark/sandbox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countByCountry } from './count-by-country.js';

// The sandbox is the whole API in this process. The same seed and date give the same market on every machine.
let sandbox: RunningSandbox;
let client: ApiClient;

beforeAll(async () => {
  sandbox = await startSandbox({ companies: 200, seed: 7, date: '2026-08-01' });
  client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key });
});

afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((total, one) => total + one, 0);

it('counts each active company once', async () => {
  const { data } = await client.v2.prospecting({ filters: { company_status: [199] } });
  expect(sum(await countByCountry(client))).toBe(data.total_companies);
});

it('finds the same companies although the API fails three times', async () => {
  const before = await countByCountry(client);
  await fetch(`${sandbox.url}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ route: '/v2/companies/', kind: 'status', status: 503, times: 3, every: 20 }),
  });
  expect(await countByCountry(client)).toEqual(before);
});

it('counts a company that is listed, but gone', async () => {
  // On the day on which a company leaves, searches still list it. In this market, one leaves on day 6.
  expect((await countByCountry(client)).has('gone')).toBe(false);
  sandbox.moveTo(6);
  expect((await countByCountry(client)).get('gone')).toBe(1);
});
