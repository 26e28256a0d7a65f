import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { errorMessage } from '../../core/errors.js';
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

/** Sends requests over connections that it keeps open. Follows no redirects. */
export class Connections {
  readonly #http = new HttpAgent({ keepAlive: true });
  // Set explicitly, so that the environment variable NODE_TLS_REJECT_UNAUTHORIZED cannot switch off the check.
  readonly #https = new HttpsAgent({ keepAlive: true, rejectUnauthorized: true });

  /**
   * Sends a request. Returns when the headers of the answer are here; reading the body may fail later.
   * @throws TransientError when no answer comes: after 10 s without a connection, or 60 s of silence
   */
  async send({ method, url, headers, body }: SignedRequest): Promise<IncomingMessage> {
    const isHttps = url.protocol === 'https:';
    const length = body === undefined || method === 'GET' || method === 'HEAD' ? {} : { 'content-length': body.length };
    const options: RequestOptions = {
      method,
      headers: { ...headers, ...length },
      agent: isHttps ? this.#https : this.#http,
      timeout: CONNECT_MS,
    };
    return new Promise((resolve, reject) => {
      const request = isHttps ? requestHttps(url, options) : requestHttp(url, options);
      request
        .on('socket', (socket) => {
          const wait = (): unknown => request.setTimeout(SILENCE_MS);
          if (socket.connecting) socket.once(isHttps ? 'secureConnect' : 'connect', wait);
          else wait();
        })
        .on('timeout', () => request.destroy(new Error(`no answer from ${url.host}`)))
        .on('response', resolve)
        .on('error', (error) => reject(new TransientError(describeFault(error), { cause: error })))
        .end(body);
    });
  }
}

/**
 * Reads a whole body.
 * @throws TransientError when the connection breaks
 */
export async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch (error) {
    throw new TransientError(describeFault(error), { cause: error });
  }
  return Buffer.concat(chunks);
}

function describeFault(error: unknown): string {
  // An address with several IP addresses gives one error for all of them, without a message.
  const { code, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  const message = errorMessage(error) || errorMessage(errors?.[0] ?? 'the connection failed');
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
