import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { denied, invalid, limitReached } from './answers.js';
import { answerOf, changeAnswer, takeFault } from './faults.js';
import { writeJson } from './json.js';
import { answerOwners } from './owners.js';
import { permissionFor } from './permissions.js';
import { answerEnrich } from './enrich.js';
import { answerResolve } from './resolve.js';
import { answerV1 } from './routes-v1.js';
import { answerV2 } from './routes-v2.js';
import { answerPayees } from './payees.js';
import { answerWatch } from './routes-watch.js';
import type { Answer, Asked, StubState } from './state.js';

/** The API over HTTP. */
export function createStubServer(state: StubState, key: string): Server {
  const stumbled = new Set<string>();
  return createServer((request, response) => {
    void serve(request, response).catch((error: unknown) =>
      send(state, response, { status: 500, body: { detail: `Internal failure: ${String(error)}` } }),
    );
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stub');
    const text = await readText(request);
    state.turn++;
    state.requests.push(`${request.method} ${url.pathname}`);
    if (request.headers.authorization !== `Token ${key}`)
      return send(state, response, { status: 403, body: { detail: 'Invalid token.' } });
    const whole = `${request.method} ${request.url} ${text}`;
    if (state.options.proxyPages && state.turn % 37 === 0 && !stumbled.has(whole)) {
      stumbled.add(whole);
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>One moment, please</body></html>');
      return;
    }
    const method = request.method ?? 'GET';
    const fault = takeFault(state, url.pathname);
    const latency = fault?.latency ?? state.options.latency;
    if (latency > 0) await sleep(latency);
    const ordered = fault && answerOf(state, fault);
    if (ordered) return send(state, response, ordered);
    const usual = answer(state, method, url, text);
    send(state, response, fault ? changeAnswer(usual, fault) : usual);
  }
}

function answer(state: StubState, method: string, url: URL, text: string): Answer {
  const asked: Asked = { method, path: url.pathname, query: url.searchParams, body: {} };
  if (text.trim() !== '') {
    try {
      asked.body = JSON.parse(text) as Record<string, unknown>;
    } catch {
      return invalid(state, 'body', 'No JSON.');
    }
  }
  const barred = state.forbidden.find(({ prefix }) => url.pathname.startsWith(prefix));
  if (barred) return denied(barred.shape);
  const permission = permissionFor(url.pathname);
  if (permission !== null && state.allowed !== null && !state.allowed.has(permission)) {
    const v1 = state.turn % 2 === 0 ? 'code' : 'error_code';
    return denied(url.pathname.startsWith('/v1/') ? v1 : 'access', permission);
  }
  if (!url.pathname.startsWith('/v2/metrics')) {
    if (Date.now() < state.limitedUntil) return limitReached(state, 'limit');
    if (state.daily.total > 0 && state.daily.used >= state.daily.total) return limitReached(state, 'limits.daily');
    state.daily.used++;
  }
  if (url.pathname.startsWith('/v1/finder/')) return answerV1(state, asked);
  return (
    answerWatch(state, asked) ??
    answerResolve(state, asked) ??
    answerEnrich(state, asked) ??
    answerPayees(state, asked) ??
    answerOwners(state, asked) ??
    answerV2(state, asked)
  );
}

/** Alternates chunked bodies, pretty JSON and reversed keys. */
function send(state: StubState, response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const text = writeJson(body, { pretty: state.turn % 3 === 0, reversed: state.turn % 4 === 0 });
  const whole = Buffer.from(text);
  const length = state.turn % 2 === 0 ? { 'content-length': String(whole.length) } : {};
  const connection = state.options.connections === 'closed' ? { connection: 'close' } : {};
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    ...length,
    ...connection,
    ...headers,
  });
  const half = Math.floor(whole.length / 2);
  response.write(whole.subarray(0, half));
  response.end(whole.subarray(half));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
