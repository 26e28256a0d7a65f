import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient, type ApiClient } from '../../../src/api/index.js';
import { keyFingerprint } from '../../../src/base/key-fingerprint.js';

const OLD = 'old-key-0123456789abcdef';
const NEW = 'new-key-fedcba9876543210';

let server: Server;
let valid: string;
let source: () => string;
/** The key of each request that the server received, and how often the client read the source. */
let received: string[];
let read: number;
let changes: string[];
let client: ApiClient;

beforeEach(async () => {
  [valid, received, read, changes, source] = [OLD, [], 0, [], () => OLD];
  server = createServer((request, response) => {
    const key = (request.headers.authorization ?? '').replace('Token ', '');
    received.push(key);
    const ok = key === valid;
    // Wait, so that several requests with the old key are in flight.
    setTimeout(() => {
      response.writeHead(ok ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(ok ? { id: 1, said: `${OLD} ${NEW}` } : { detail: `Invalid token. ${key}` }));
    }, 5);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createApiClient({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: OLD,
    maxConcurrency: 16,
    retryBaseMs: 1,
    renewKey: () => {
      read++;
      return source();
    },
    onKeyChange: (key) => changes.push(key),
    now: () => new Date('2026-11-20T02:00:00Z'),
  });
});
afterEach(async () => {
  await client.close();
  server.close();
});

const company = async (id: number): Promise<unknown> => client.v2.company(id);
const failure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: unknown) => (error as Error).message,
  );
const count = (key: string): number => received.filter((one) => one === key).length;

describe('a key that a secret store replaced', () => {
  it('is read once for all requests in flight, and none of them is lost', async () => {
    await company(0);
    valid = NEW;
    source = () => NEW;
    await Promise.all(Array.from({ length: 40 }, (_, id) => company(id)));
    expect({ read, changes, old: count(OLD), new: count(NEW) }).toEqual({ read: 1, changes: [NEW], old: 17, new: 40 });
  });

  it('is read for calls with side effects, too, because a refused call did nothing', async () => {
    valid = NEW;
    source = () => NEW;
    await client.v2.kyb.startUboEnrichment(1, {}).catch(() => undefined);
    expect(received).toEqual([OLD, NEW]);
  });

  it('is read again for a later refusal', async () => {
    for (const key of [NEW, OLD, NEW]) {
      valid = key;
      source = () => key;
      await company(1);
    }
    expect(changes).toEqual([NEW, OLD, NEW]);
  });

  it('hides the old and the new key in answers and errors', async () => {
    valid = NEW;
    source = () => NEW;
    const { body } = (await company(1)) as { body: string };
    expect(body).toContain('[redacted] [redacted]');
    valid = 'third-key-aaaaaaaaaaaaa';
    const message = await failure(company(1));
    expect(message).not.toMatch(new RegExp(`${OLD}|${NEW}`));
  });
});

describe('a key that the API refuses and that did not change', () => {
  it('is named by its fingerprint, with the time since when it is held', async () => {
    valid = NEW;
    const message = await failure(company(1));
    expect(message).toContain(
      `The worker holds the key with the fingerprint ${keyFingerprint(OLD)} since 2026-11-20T02:00:00.000Z. Its source has no other key.`,
    );
    expect(message).not.toContain(OLD);
    expect(changes).toEqual([]);
  });

  it.each([
    ['an empty file', (): string => ''],
    ['half a line with a control character', (): string => 'ab\u0000'],
    [
      'a file that is missing for a moment',
      (): string => {
        throw new Error(`cannot read the file ${OLD}`);
      },
    ],
  ])('is kept after %s', async (_what, broken) => {
    valid = NEW;
    source = broken;
    const message = await failure(company(1));
    expect(message).toMatch(/Reading it again failed: /);
    expect(message).not.toContain(OLD);
    source = () => NEW;
    await company(1);
    expect(changes).toEqual([NEW]);
  });

  it('stops after one renewal if the new key is refused as well', async () => {
    valid = 'third-key-aaaaaaaaaaaaa';
    source = () => NEW;
    expect(await failure(company(1))).toContain(keyFingerprint(NEW));
    expect(received).toEqual([OLD, NEW]);
  });
});
