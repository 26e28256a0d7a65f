import { expect, it } from 'vitest';
import { createApiClient } from '../../../src/api/index.js';

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

it('shares its limits with other workers', async () => {
  const client = make({ maxConcurrency: 9, requestsPerSecond: 10 });
  const own = { active: 0, waiting: 0, heldMs: 0, isSlowed: false, isDailyLimit: false };
  expect(client.limits()).toEqual({ ...own, workers: 1, allowed: 9, max: 9, perSecond: 10 });
  client.share({ workers: 2, rank: 1 });
  expect(client.limits()).toEqual({ ...own, workers: 2, allowed: 4, max: 4, perSecond: 5 });
  client.share({ workers: 1, rank: 0 });
  expect(client.limits()).toEqual({ ...own, workers: 1, allowed: 9, max: 9, perSecond: 10 });
  await client.close();
  await client.close();
  await expect(client.v2.metrics()).rejects.toThrow('the API client is closed');
});
