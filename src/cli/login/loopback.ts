import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSameSecret } from '../../base/same-secret.js';
import { createLimitedServer } from '../../base/network/limited-server.js';
import { DONE, FOREIGN, PAGE_HEADERS, USED } from './pages.js';
import { textAt } from './outcome.js';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 16 * 1024;
const LIMITS = { connections: 32, requests: 32, headersMs: 5_000, requestMs: 10_000 };
const LAST_PAGE_MS = 2_000;

/** A server on this machine that waits for the result of one sign-in. */
export interface Loopback {
  /** Address to which the connector application sends the result of the sign-in. */
  redirectUri: string;
  /** Address of the connector's sign-in page, with session, state and `redirectUri`. */
  loginUrl: string;
  /**
   * Address on this machine that redirects to `loginUrl`, once. Give this address to the browser program. Other users
   * can see the arguments of programs, and `loginUrl` would show them the state.
   */
  startUrl: string;
  /** Parameters or JSON of the result that the server accepted. This promise never rejects. */
  answer: Promise<unknown>;
  /** Stops the server. First waits up to two seconds, so that the browser can load the last page. */
  close(): Promise<void>;
}

/**
 * Opens the server on a random port of 127.0.0.1. The server accepts one result of a sign-in: a request to the host of
 * `redirectUri` that contains the right `state`. If the request has no `state`, it must contain the right `session`.
 * The server refuses every other request and continues to wait.
 * @param connectorUrl address of the connector application; may have a path
 */
export async function openLoopback(connectorUrl: string): Promise<Loopback> {
  const [session, state, start] = [secret(), secret(), secret()];
  const done = deferred<void>();
  const answer = deferred<unknown>();
  const open = { used: false, started: false, lastPageDue: false };
  let origin = '';
  let loginUrl = '';

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin);
    // With DNS rebinding, a web page of another host could reach this port under another host name. Refuse such requests.
    if (`http://${request.headers.host}` !== origin) return send(response, 403, FOREIGN);
    if (request.method === 'GET' && url.pathname === '/done') {
      send(response, 200, DONE);
      return done.resolve();
    }
    if (request.method === 'GET' && url.pathname.startsWith('/start/')) {
      if (open.started || !isSameSecret(url.pathname.slice('/start/'.length), start))
        return send(response, 403, FOREIGN);
      open.started = true;
      return redirect(response, loginUrl);
    }
    if (url.pathname !== '/callback') return send(response, 404, FOREIGN);
    const given = await readAnswer(request, url);
    if (!belongs(given, { session, state })) return send(response, 403, FOREIGN);
    if (open.used) return send(response, 410, USED);
    open.used = true;
    answer.resolve(given);
    if (request.method === 'POST') return send(response, 200, DONE);
    // The address may contain a key. Redirect the browser, so that its history does not keep this address.
    open.lastPageDue = true;
    redirect(response, '/done');
  };

  const server = createLimitedServer(LIMITS, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  origin = `http://${HOST}:${await listen(server)}`;
  const redirectUri = `${origin}/callback`;
  const address = new URL('oauth/login', connectorUrl.endsWith('/') ? connectorUrl : `${connectorUrl}/`);
  address.search = new URLSearchParams({ session, redirect_uri: redirectUri, state }).toString();
  loginUrl = address.href;
  return {
    redirectUri,
    loginUrl,
    startUrl: `${origin}/start/${start}`,
    answer: answer.promise,
    close: async () => {
      if (open.lastPageDue) await Promise.race([done.promise, delay(LAST_PAGE_MS)]);
      await stop(server);
    },
  };
}

/** Whether a result contains the state of this sign-in. A result without a state must contain the sign-in's session. */
function belongs(given: unknown, { session, state }: { session: string; state: string }): boolean {
  const [givenState, givenSession] = [textAt(given, ['state']), textAt(given, ['session'])];
  return givenState === null
    ? givenSession !== null && isSameSecret(givenSession, session)
    : isSameSecret(givenState, state);
}

/**
 * Returns the parameters of the address for GET, and the fields of a form or JSON for POST. Returns an empty object for
 * other requests.
 */
async function readAnswer(request: IncomingMessage, url: URL): Promise<unknown> {
  const query = Object.fromEntries(url.searchParams);
  if (request.method === 'GET') return query;
  if (request.method !== 'POST') return {};
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return {};
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  if (!request.headers['content-type']?.includes('json'))
    return { ...query, ...Object.fromEntries(new URLSearchParams(body)) };
  try {
    return { ...query, body: JSON.parse(body) as unknown };
  } catch {
    return {};
  }
}

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { ...PAGE_HEADERS, connection: 'close' }).end(html);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...PAGE_HEADERS, location }).end();
}

async function listen(server: Server): Promise<number> {
  server.listen(0, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const forced = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(forced);
}

/** Returns 256 random bits as text. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
