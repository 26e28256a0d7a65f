import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createApiClient, type ApiClient, type ApiClientOptions, type AttemptReport } from '../../../src/api/index.js';

/** Long enough to be treated as a real key, with a character that JSON and URLs escape. */
export const TEST_KEY = 'tm-"secret"/0123456789';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Handler = (request: SeenRequest, response: ServerResponse, n: number) => void | Promise<void>;

export interface StubApi {
  url: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/** A real HTTP server on a free port; `handler` gets each request with its number from 1. */
export async function startStubApi(handler: Handler): Promise<StubApi> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      seen.push(request);
      void handler(request, response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers with JSON, or with text unchanged. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

export interface Rig {
  api: StubApi;
  client: ApiClient;
  attempts: AttemptReport[];
}

/** Runs `use` with a stub API and a client with almost no retry delay; closes both afterwards. */
export async function withApi(
  handler: Handler,
  use: (rig: Rig) => Promise<void>,
  options: Partial<ApiClientOptions> = {},
): Promise<void> {
  const api = await startStubApi(handler);
  const attempts: AttemptReport[] = [];
  const client = createApiClient({
    baseUrl: api.url,
    apiKey: TEST_KEY,
    retryBaseMs: 1,
    retryCapMs: 2,
    onAttempt: (attempt) => attempts.push(attempt),
    ...options,
  });
  try {
    await use({ api, client, attempts });
  } finally {
    await client.close();
    await api.close();
  }
}

/** The error with which a promise rejects; fails if it does not. */
export async function rejection<E extends Error>(promise: Promise<unknown>): Promise<E> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome === null) throw new Error('expected a rejection');
  return outcome as E;
}
