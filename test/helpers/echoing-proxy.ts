import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy that echoes the caller's key in front of an API with another key. It echoes the key in errors of every shape,
 * headers, redirects and records, in each spelling that the redactor finds.
 */
export interface EchoingProxy {
  url: string;
  /** Number of answers with the caller's key, by kind. */
  echoed: Map<string, number>;
  /** Refuses every request from now on, in messages that hold the key. */
  refuse(): void;
  close(): Promise<void>;
}

type Echo = (key: string) => { status: number; body: string; headers?: Record<string, string> };

const json = (value: unknown): string => JSON.stringify(value);
const escaped = (key: string): string =>
  key.replaceAll(/[^]/g, (c) => String.raw`\u` + c.charCodeAt(0).toString(16).padStart(4, '0'));

const ECHOES: Record<string, Echo> = {
  'v2 detail': (key) => ({ status: 500, body: json({ detail: `Internal error for ${key}` }) }),
  'json escapes': (key) => ({ status: 500, body: `{"detail":"Internal ${escaped(key)}"}` }),
  'html page': (key) => ({ status: 502, body: `<html>Bad gateway: ${encodeURIComponent(key)}</html>` }),
  'base64 header': (key) => ({
    status: 503,
    body: json({ detail: `Internal: Authorization ${btoa(`Token ${key}`)}` }),
  }),
  hex: (key) => ({ status: 500, body: json({ detail: `Internal ${Buffer.from(key).toString('hex')}` }) }),
  redirect: (key) => ({
    status: 302,
    body: key,
    headers: { location: `https://elsewhere.example/?key=${encodeURIComponent(key)}&raw=${btoa(key)}` },
  }),
  'v1 shape': (key) => ({
    status: 400,
    body: json({ error_name: 'InternalError', code: 500, message: `key ${key}`, data: { token: key } }),
  }),
  'field messages': (key) => ({ status: 400, body: json({ filters: [`${key} is no filter`] }) }),
  gone: (key) => ({ status: 404, body: json({ detail: `Not found: ${key}` }) }),
  'no json': (key) => ({ status: 200, body: `{"id": ${key}` }),
};

/** Starts the proxy; it forwards requests with the key of `upstream`. */
export async function startEchoingProxy(upstream: { url: string; key: string }): Promise<EchoingProxy> {
  const echoed = new Map<string, number>();
  const kinds = Object.entries(ECHOES);
  let refusing = false;
  let n = 0;
  const server = createServer((incoming, response) => {
    const key = /^Token (.*)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    if (key !== '') response.setHeaders(new Headers({ 'x-echo': key, 'set-cookie': `key=${encodeURIComponent(key)}` }));
    const count = (kind: string): number => echoed.set(kind, (echoed.get(kind) ?? 0) + 1).size;
    if (refusing) {
      count('refusal');
      respond(incoming, response, { status: 401, body: json({ detail: `Invalid token ${key}` }) });
      return;
    }
    const details = /^\/v2\/(companies|financial)\/\d+$/.test(incoming.url ?? '');
    // Some records always fail, so that the run is partial and has rejects.
    const always = ECHOES['field messages'];
    if (details && always && incoming.url?.endsWith('7')) {
      count('field messages');
      respond(incoming, response, always(key));
      return;
    }
    // Only details get faults that may be permanent; searches must succeed to find companies.
    if (details && ++n % 4 === 0) {
      const [kind, echo] = kinds[(n / 4) % kinds.length] as [string, Echo];
      count(kind);
      respond(incoming, response, echo(key));
      return;
    }
    const name = details && n % 5 === 1 ? key : null;
    if (name !== null) count('record');
    forward(upstream, incoming, response, name);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    echoed,
    refuse: () => void (refusing = true),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function respond(incoming: IncomingMessage, response: ServerResponse, answer: ReturnType<Echo>): void {
  incoming.resume();
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.body);
}

/** Forwards a request; puts `name` into the returned record. */
function forward(
  upstream: { url: string; key: string },
  incoming: IncomingMessage,
  response: ServerResponse,
  name: string | null,
): void {
  const headers = { ...incoming.headers, authorization: `Token ${upstream.key}` };
  const onward = send(new URL(incoming.url ?? '/', upstream.url), { method: incoming.method, headers }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      response.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/json' });
      response.end(name === null || answer.statusCode !== 200 ? text : withName(text, name));
    });
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}

function withName(text: string, name: string): string {
  const record = JSON.parse(text) as Record<string, unknown>;
  return json({ ...record, ...('name' in record ? { name: `Echo ${name} Ltd` } : {}), echo: name });
}
