import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DONE, FOREIGN, PAGE_HEADERS, USED } from './pages.js';
import { textAt } from './outcome.js';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 16 * 1024;
const LAST_PAGE_MS = 2_000;

/** A server on this machine that waits for the end of one sign-in. */
export interface Loopback {
  /** Address to which the connector sends the end of the sign-in. */
  redirectUri: string;
  /** Sign-in page of the connector, with session, state and `redirectUri`. */
  loginUrl: string;
  /**
   * Address on this machine that leads to `loginUrl`, once. Give this one to a browser: other users see the arguments
   * of programs, so `loginUrl` would show them the state.
   */
  startUrl: string;
  /** Parameters or JSON of the one accepted answer. Never rejects. */
  answer: Promise<unknown>;
  /** Stops the server. First waits up to two seconds until the browser has the last page. */
  close(): Promise<void>;
}

/**
 * Opens the server on a random port of 127.0.0.1. It accepts one answer: from the address it announced, with the right
 * `state` (or, without a `state`, with the right `session`). It refuses everything else and goes on waiting.
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
    // A web page of another host could reach this port under its own name (DNS rebinding).
    if (`http://${request.headers.host}` !== origin) return send(response, 403, FOREIGN);
    if (request.method === 'GET' && url.pathname === '/done') {
      send(response, 200, DONE);
      return done.resolve();
    }
    if (request.method === 'GET' && url.pathname.startsWith('/start/')) {
      if (open.started || !isSame(url.pathname.slice('/start/'.length), start)) return send(response, 403, FOREIGN);
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
    // The address may contain a key: leave it, so that the browser's history does not keep it.
    open.lastPageDue = true;
    redirect(response, '/done');
  };

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.maxConnections = 32;
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

/** Whether an answer has the state of this sign-in or, without a state, its session. */
function belongs(given: unknown, { session, state }: { session: string; state: string }): boolean {
  const [givenState, givenSession] = [textAt(given, ['state']), textAt(given, ['session'])];
  return givenState === null ? givenSession !== null && isSame(givenSession, session) : isSame(givenState, state);
}

/** Compares in constant time: hashes have equal lengths, and the time does not show where texts differ. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

/** Parameters of the address for GET; a form or JSON for POST. Anything else is an empty answer. */
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

/** 256 random bits. */
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
