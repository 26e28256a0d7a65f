import { once } from 'node:events';
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A gateway between Tidemark and a real S3 service. It passes requests on as they are, and may answer something else.
 */

/** What a request to the bucket asks for. */
export type Kind = 'list' | 'get' | 'head' | 'put' | 'conditional put' | 'post' | 'delete';

export interface Asked {
  kind: Kind;
  /** Path without the query. */
  path: string;
  url: string;
}

/** An answer. Names of headers are in lower case. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A wrong answer to a request. */
export interface Fault {
  /** Whether the request reaches the service nevertheless. Default: true. */
  reaches?: boolean;
  /**
   * Makes the wrong answer from the true one; without `reaches`, from an empty one. `content-length` is set to the length
   * of the body, unless the answer names one.
   */
  answer?(truth: Answered, asked: Asked): Answered;
  /** Sends the answer itself, and ends the connection. */
  send?(response: ServerResponse, truth: Answered): void;
}

export interface WrongProxy {
  url: string;
  /** Number of requests. */
  readonly requests: number;
  close(): Promise<void>;
}

const EMPTY: Answered = { status: 200, headers: {}, body: Buffer.alloc(0) };

/**
 * Starts a gateway before a service.
 * @param choose returns the fault of a request; undefined for a true answer
 */
export async function startWrongProxy(
  target: string,
  choose: (asked: Asked) => Fault | undefined,
): Promise<WrongProxy> {
  let requests = 0;
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    requests++;
    const body = await readAll(incoming);
    const asked = describeRequest(incoming);
    const fault = choose(asked);
    const truth = fault?.reaches === false ? EMPTY : await pass(target, incoming, body);
    if (truth === undefined) return response.destroy();
    if (fault?.send !== undefined) return fault.send(response, truth);
    const { status, headers, body: sent } = fault?.answer?.(truth, asked) ?? truth;
    // The answer to HEAD names the length of a body that does not come.
    const length = asked.kind === 'head' ? {} : { 'content-length': String(sent.length) };
    response.sendDate = false;
    return response.writeHead(status, { ...length, ...headers }).end(sent);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function describeRequest({ method, url = '', headers }: IncomingMessage): Asked {
  const path = url.replace(/\?.*$/, '');
  const isConditional = headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
  const kinds: Record<string, Kind> = {
    GET: /[?&]list-type=/.test(url) ? 'list' : 'get',
    HEAD: 'head',
    PUT: isConditional ? 'conditional put' : 'put',
    POST: 'post',
    DELETE: 'delete',
  };
  return { kind: kinds[method ?? ''] ?? 'get', path, url };
}

/** Passes a request on as it is, also its `host`, which is signed. Undefined if the service does not answer. */
async function pass(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answered | undefined> {
  const { hostname, port } = new URL(target);
  const { method, url: path, headers } = incoming;
  try {
    const request = requestHttp({ hostname, port, method, path, headers, agent: false }).end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const read = await readAll(answer);
    // `node:http` sets these headers itself, except the length of a body that does not come.
    const own = new Set([
      'connection',
      'keep-alive',
      'transfer-encoding',
      ...(method === 'HEAD' ? [] : ['content-length']),
    ]);
    const kept = Object.entries(answer.headers).filter(([name]) => !own.has(name));
    return { status: answer.statusCode ?? 0, headers: Object.fromEntries(kept) as Record<string, string>, body: read };
  } catch {
    return undefined;
  }
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
