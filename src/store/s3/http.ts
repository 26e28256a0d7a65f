import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { connectToAny } from '../../base/network/connections.js';
import { readDecoded } from '../../base/network/content-coding.js';
import { TransientError } from '../retry.js';

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
/** A longer body is sent in pieces. The time of silence begins again after each piece. */
const PIECE_BYTES = 64 * 2 ** 10;
/** Longer than the time between two heartbeats of a lease. */
const KEEP_ALIVE_MS = 30_000;

/** A signed request. */
export interface SignedRequest {
  method: Dispatcher.HttpMethod;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
}

/** Headers of an answer, by lower-case name. */
export type Headers = Dispatcher.ResponseData['headers'];

/** The answer to a request. */
export interface Reply {
  status: number;
  headers: Headers;
  /** Decompressed. */
  body: Buffer;
}

/** How large a body may be, and how long it may take, in milliseconds. */
export interface BodyLimit {
  bytes: number;
  ms: number;
}

/** Sends requests over connections that it keeps open, through the proxy of the environment. Follows no redirects. */
export class Connections {
  readonly #dispatcher: Dispatcher;

  /** @param silenceMs time without progress after which a request fails, in milliseconds. Default: 60 s */
  constructor(env: NodeJS.ProcessEnv, silenceMs = SILENCE_MS) {
    const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
    const options = { connectMs: CONNECT_MS, keepAliveTimeout: KEEP_ALIVE_MS, ...timeouts };
    this.#dispatcher = connectToAny(options, env);
  }

  /**
   * Sends a request, and reads the whole answer.
   * @param limitFor returns the limit of the body, by the status
   * @throws TransientError when no answer comes: after 10 s without a connection, or 60 s of silence; when the connection
   * breaks; when the body exceeds the limit
   * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
   */
  async send({ method, url, headers, body }: SignedRequest, limitFor: (status: number) => BodyLimit): Promise<Reply> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const answer = await this.#dispatcher.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        // Ask gateways to send files as they are now. These headers are not signed, because a gateway may change them.
        headers: {
          'accept-encoding': 'identity',
          'cache-control': 'no-cache',
          ...headers,
          ...(body !== undefined && { 'content-length': String(body.length) }),
        },
        body: body === undefined || body.length <= PIECE_BYTES ? (body ?? null) : Readable.from(piecesOf(body)),
        // Never pause an answer: undici 7.30 ends the process if the service then closes the connection
        // (`assert(!this.paused)`).
        highWaterMark: Number.MAX_SAFE_INTEGER,
      });
      const { statusCode: status, headers: found, body: stream } = answer;
      const { bytes, ms } = limitFor(status);
      // A body that is destroyed before its end has an error, which must not end the process.
      stream.on('error', () => undefined);
      timer = setTimeout(() => stream.destroy(new Error('the answer takes too long')), ms);
      return { status, headers: found, body: await readDecoded(stream, found['content-encoding'], bytes) };
    } catch (error) {
      throw error instanceof TidemarkError ? error : asTransient(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/** Makes the error for a broken connection. */
function asTransient(error: unknown): TransientError {
  // An address with several IP addresses gives one error for all of them, without a message.
  const { code, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  const message = errorMessage(error) || errorMessage(errors?.[0] ?? 'the connection failed');
  const detail = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return new TransientError(detail, { cause: error });
}
