import {
  Agent as HttpAgent,
  request as requestHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { callbackify } from 'node:util';
import { errorMessage } from '../../base/errors.js';
import { decodeStream, parseCodings } from '../../base/network/content-coding.js';
import { findRoute, proxyAuthorization, type Proxy } from '../../base/network/proxies.js';
import { openTunnel, refusedByProxy, unreachableProxy } from '../../base/network/tunnel.js';
import { TransientError } from '../retry.js';

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;

/** A signed request. */
export interface SignedRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** An answer whose body may still be on its way. */
export interface Incoming {
  status: number;
  /** Headers of the decompressed body. */
  headers: IncomingHttpHeaders;
  body: Readable;
}

/**
 * Sends requests over connections that it keeps open, through the proxy of the environment. Follows no redirects.
 *
 * Uses no undici: undici 7.30 ends the process if a service closes the connection after an answer, while a slow reader
 * pauses the body (`assert(!this.paused)`).
 */
export class Connections {
  readonly #env: NodeJS.ProcessEnv;
  readonly #http = new HttpAgent({ keepAlive: true });
  // Set explicitly, so that the environment variable NODE_TLS_REJECT_UNAUTHORIZED cannot switch off the check.
  readonly #https = new HttpsAgent({ keepAlive: true, rejectUnauthorized: true });
  #tunnels: HttpsAgent | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env;
  }

  /**
   * Sends a request. Returns when the headers of the answer are here; reading the body may fail later.
   * @throws TransientError when no answer comes: after 10 s without a connection, or 60 s of silence
   * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
   */
  async send(signed: SignedRequest): Promise<Incoming> {
    const { url } = signed;
    const { proxy } = findRoute(url, this.#env);
    const message = await this.#request(signed, proxy);
    if (proxy !== null && message.statusCode === 407) {
      message.resume();
      throw new TransientError(refusedByProxy(proxy, 407, url.host).message);
    }
    return decode(message);
  }

  async #request({ method, url, headers, body }: SignedRequest, proxy: Proxy | null): Promise<IncomingMessage> {
    const length = body === undefined || method === 'GET' || method === 'HEAD' ? {} : { 'content-length': body.length };
    const isTunnel = proxy !== null && url.protocol === 'https:';
    const isPlain = proxy !== null && !isTunnel;
    const server = isPlain ? proxy.address : url;
    const isHttps = server.protocol === 'https:';
    const options: RequestOptions = {
      ...urlToHttpOptions(server),
      method,
      // Ask gateways to send files as they are now. These headers are not signed, because a gateway may change them.
      headers: {
        'accept-encoding': 'identity',
        'cache-control': 'no-cache',
        ...headers,
        ...length,
        ...(isPlain && proxyHeaders(proxy, url)),
      },
      agent: isTunnel ? (this.#tunnels ??= new TunnelAgent(proxy)) : isHttps ? this.#https : this.#http,
      timeout: CONNECT_MS,
      // A plain http request to a proxy has the whole address as its target (RFC 9112, 3.2.2).
      path: isPlain ? url.href : url.pathname + url.search,
    };
    return new Promise((resolve, reject) => {
      const request = isHttps ? requestHttps(options) : requestHttp(options);
      request
        .on('socket', (socket) => {
          const wait = (): unknown => request.setTimeout(SILENCE_MS);
          if (socket.connecting) socket.once(isHttps ? 'secureConnect' : 'connect', wait);
          else wait();
        })
        .on('timeout', () => request.destroy(new Error(`no answer from ${url.host}`)))
        .on('response', resolve)
        .on('error', (error) => {
          const cause = isPlain ? unreachableProxy(proxy, error) : error;
          reject(new TransientError(describeFault(cause), { cause }));
        })
        .end(body);
    });
  }
}

type OnConnection = (error: Error | null, socket?: Duplex) => void;

/** Keeps TLS connections inside tunnels of a proxy. */
class TunnelAgent extends HttpsAgent {
  readonly #proxy: Proxy;

  constructor(proxy: Proxy) {
    super({ keepAlive: true, rejectUnauthorized: true });
    this.#proxy = proxy;
  }

  override createConnection(options: RequestOptions, done: OnConnection): undefined {
    callbackify(openTunnel)(this.#proxy, `${options.host}:${options.port}`, CONNECT_MS, (error, socket) => {
      if (error === null) done(null, super.createConnection({ ...options, socket } as RequestOptions) ?? undefined);
      else done(error);
    });
  }
}

function proxyHeaders(proxy: Proxy, { host }: URL): Record<string, string> {
  const authorization = proxyAuthorization(proxy);
  return { host, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
}

/**
 * Decompresses the body if a gateway compressed it.
 * @throws TransientError for an unknown compression
 */
function decode(message: IncomingMessage): Incoming {
  const { statusCode: status = 0, headers } = message;
  try {
    const codings = parseCodings(headers['content-encoding'] ?? '');
    if (codings.length === 0) return { status, headers, body: message };
    const { 'content-encoding': _, 'content-length': __, ...others } = headers;
    return { status, headers: others, body: decodeStream(message, codings) };
  } catch (error) {
    message.destroy();
    throw new TransientError(errorMessage(error), { cause: error });
  }
}

/** How large a body may be, and how long it may take. */
export interface BodyLimit {
  bytes: number;
  ms: number;
}

/**
 * Reads a whole body.
 * @throws TransientError when the connection breaks, or when the body exceeds the limit
 */
export async function readBody(message: Readable, limit: BodyLimit): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => message.destroy(new Error('the answer takes too long')), limit.ms);
  try {
    for await (const chunk of message) {
      bytes += (chunk as Buffer).length;
      // Leaving the loop destroys the stream.
      if (bytes > limit.bytes) throw new Error(`the answer has more than ${limit.bytes / 1_024} KiB`);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw new TransientError(describeFault(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

function describeFault(error: unknown): string {
  // An address with several IP addresses gives one error for all of them, without a message.
  const { code, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  const message = errorMessage(error) || errorMessage(errors?.[0] ?? 'the connection failed');
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
