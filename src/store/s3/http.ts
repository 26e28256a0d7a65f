import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { connectToAny } from '../../base/network/connections.js';
import { decodeStream, parseCodings } from '../../base/network/content-coding.js';
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

/** An answer whose body may still be on its way. Read it at once: all that has come is in memory. */
export interface Incoming {
  status: number;
  /** Headers of the decompressed body. */
  headers: Headers;
  body: Readable;
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
   * Sends a request. Returns when the headers of the answer are here; reading the body may fail later.
   * @throws TransientError when no answer comes: after 10 s without a connection, or 60 s of silence
   * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
   */
  async send({ method, url, headers, body }: SignedRequest): Promise<Incoming> {
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
      return decode(answer);
    } catch (error) {
      throw error instanceof TidemarkError ? error : asTransient(error);
    }
  }
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/**
 * Decompresses the body if a gateway compressed it.
 * @throws CodingError for an unknown compression
 */
function decode({ statusCode: status, headers, body }: Dispatcher.ResponseData): Incoming {
  // A body that is destroyed before its end has an error, which must not end the process.
  body.on('error', () => undefined);
  try {
    const codings = parseCodings(headers['content-encoding'] ?? '');
    if (codings.length === 0) return { status, headers, body };
    const { 'content-encoding': _, 'content-length': __, ...others } = headers;
    return { status, headers: others, body: decodeStream(body, codings) };
  } catch (error) {
    body.destroy();
    throw error;
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
    for await (const chunk of chunksOf(message)) {
      bytes += chunk.length;
      // Leaving the loop destroys the stream.
      if (bytes > limit.bytes) throw new TransientError(`the answer has more than ${limit.bytes / 1_024} KiB`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a body as it comes. A reader that stops early destroys it.
 * @throws TransientError when the connection breaks
 */
export async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    throw asTransient(error);
  }
}

/** Makes the error for a broken connection. */
function asTransient(error: unknown): TransientError {
  // An address with several IP addresses gives one error for all of them, without a message.
  const { code, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  const message = errorMessage(error) || errorMessage(errors?.[0] ?? 'the connection failed');
  const detail = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return new TransientError(detail, { cause: error });
}
