import { promisify } from 'node:util';
import { buildApp } from '../../sandbox/http/app.js';
import type { SandboxOptions } from '../../sandbox/options.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

/** A sandbox on its own port, with helpers to call it over HTTP. */
export interface Running {
  url: string;
  sandbox: Sandbox;
  get<T = unknown>(path: string, body?: unknown): Promise<Answer<T>>;
  send<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
  /** Every route, like `GET /v2/companies/{id}`. */
  routes(): string[];
  /** Number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** A small market, the same in every run. */
export const SMALL = { companies: 600, tenders: 80, seed: 7, date: '2026-11-20' } as const;

export async function startApp(options: Partial<SandboxOptions> = {}): Promise<Running> {
  const app = await buildApp({ ...SMALL, ...options });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const { sandbox } = app;
  async function send<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Token ${sandbox.options.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === '' ? null : JSON.parse(text)) as T };
  }
  return {
    url,
    sandbox,
    send,
    get: (path) => send('GET', path),
    routes: () => app.routeTable.list(),
    connections: () => promisify<number>((done) => app.server.getConnections(done))(),
    close: () => app.close(),
  };
}

/** Throws if a sandbox does not answer, or has answered with a 5xx so far. */
export async function demandUnharmed(app: Running): Promise<void> {
  const { status } = await app.get('/v2/metrics');
  const { statuses } = app.sandbox.requests.report();
  const faults = Object.keys(statuses).filter((code) => code >= '500');
  if (status !== 200 || faults.length > 0) throw new Error(`metrics: ${status}; answered with ${faults.join(', ')}`);
}
