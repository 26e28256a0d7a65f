import { expect, it } from 'vitest';
import { createApiClient } from '../../../src/api/index.js';
import { Pacer } from '../../../src/api/pacer.js';

const make = (more: object = {}) => createApiClient({ baseUrl: 'https://api.example.com', apiKey: 'k', ...more });

it.each([
  [{ baseUrl: 'no address' }, 'api.baseUrl is not an http(s) address', /https:\/\/api\.example\.com/],
  [{ baseUrl: 'ftp://x' }, 'api.baseUrl is not an http(s) address', /https:\/\/api\.example\.com/],
  [{ connectorUrl: 'wss://x' }, 'api.connectorUrl is not an http(s) address', /https:\/\/api\.example\.com/],
  [{ baseUrl: 'https://u@x' }, 'api.baseUrl contains a user', /TIDEMARK_API_KEY/],
  [{ baseUrl: 'https://:p@x' }, 'api.baseUrl contains a user', /TIDEMARK_API_KEY/],
  [{ baseUrl: 'https://x/?a' }, 'api.baseUrl contains a user', /TIDEMARK_API_KEY/],
  [{ baseUrl: 'https://x/#a' }, 'api.baseUrl contains a user', /TIDEMARK_API_KEY/],
  [{ baseUrl: 'http://notlocalhost' }, 'api.baseUrl is plain http to notlocalhost', /allowHttp/],
  [{ baseUrl: 'http://127.0.0.1.example.com' }, 'api.baseUrl is plain http', /allowHttp/],
  [{ baseUrl: 'http://x127.0.0.1.com' }, 'api.baseUrl is plain http', /allowHttp/],
  [{ apiKey: '' }, 'the API key is missing', /TIDEMARK_API_KEY/],
  [{ apiKey: undefined }, 'the API key is missing', /pass `apiKey`/],
  [{ baseUrl: undefined }, 'api.baseUrl is not an http(s) address', /https:\/\/api\.example\.com/],
  [{ apiKey: 'two words' }, 'the API key contains characters that an HTTP header cannot contain', /TIDEMARK_API_KEY/],
  [{ apiKey: 'key\n' }, 'the API key contains characters that an HTTP header cannot contain', /TIDEMARK_API_KEY/],
  [{ timeoutMs: 0 }, 'timeoutMs must be above 0, got 0', /timeoutMs/],
  [{ timeoutMs: Infinity }, 'timeoutMs must be above 0', /timeoutMs/],
  [{ requestsPerSecond: 0 }, 'requestsPerSecond must be above 0', /requestsPerSecond/],
  [{ maxConcurrency: 0 }, 'maxConcurrency must be a whole number above 0, got 0', /maxConcurrency/],
  [{ maxConcurrency: 1.5 }, 'maxConcurrency must be a whole number above 0', /maxConcurrency/],
])('rejects the options %j and names the remedy', (options, message, todo) => {
  expect(() => make(options)).toThrow(
    expect.objectContaining({
      type: 'InvalidConfig',
      message: expect.stringContaining(message) as string,
      todo: expect.stringMatching(todo) as string,
    }) as Error,
  );
});

it.each(['http://sub.localhost', 'http://LOCALHOST:80', 'http://127.1.2.3', 'http://[::1]:4010'])(
  'accepts plain http to this machine: %s',
  async (baseUrl) => {
    await expect(make({ baseUrl }).close()).resolves.toBeUndefined();
  },
);

it('changes limits at run time and rejects invalid ones', async () => {
  const client = make({ maxConcurrency: 4 });
  expect(client.concurrency()).toEqual({ active: 0, window: 4 });
  client.setConcurrency(9);
  expect(client.concurrency()).toEqual({ active: 0, window: 9 });
  expect(() => client.setConcurrency(0)).toThrow('concurrency must be a whole number above 0, got 0');
  expect(() => client.setPace(-1)).toThrow('requestsPerSecond must be above 0, got -1');
  expect(() => client.setPace(0.5)).not.toThrow();
  await client.close();
  await client.close();
  await expect(client.v2.metrics()).rejects.toThrow('the API client is closed');
});

it('keeps a slowed pace when the limit rises and follows a lower limit', () => {
  const free = new Pacer(100);
  free.setMost(200);
  expect(free.rateAt(1_000)).toBe(200);
  free.setMost(50);
  expect(free.rateAt(1_000)).toBe(50);
  const slowed = new Pacer(100);
  slowed.limited(1_000);
  const rate = slowed.rateAt(1_000);
  expect(rate).toBeLessThan(100);
  slowed.setMost(200);
  expect(slowed.rateAt(1_000)).toBe(rate);
});
