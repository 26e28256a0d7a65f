import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { sha256 } from '../../base/hash.js';
import { connectToAny } from '../../base/network/connections.js';
import { readDecoded } from '../../base/network/content-coding.js';
import { PATIENCE, TransientError, type Patience } from '../retry.js';
import { isStorageError, StorageError, storageError } from '../errors.js';
import { describeRefusal } from './refusals.js';
import { addressOf, readCredentials, type BucketAddress, type BucketSettings, type Credentials } from './settings.js';
import { readErrorCode } from './xml.js';

/** A request to a bucket, before it is signed. */
export interface Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Undefined: a request to the bucket itself. */
  key?: string | undefined;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Statuses above 299 and codes of errors that the caller handles. All others are errors. */
  handles?: readonly (number | string)[];
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

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
/** Longer than the time between two heartbeats of a lease. */
const KEEP_ALIVE_MS = 30_000;
/** A longer body is sent in pieces. The time of silence begins again after each piece. */
const PIECE_BYTES = 64 * 2 ** 10;
/** Believe a refusal that comes this often in a row. A single one may come from a gateway that is being changed. */
const REFUSALS = 3;
// Statuses after which the same request may succeed. 409: another request changes the same key at the same time.
const TRANSIENT = new Set([408, 409, 425, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES = new Set([
  'RequestTimeout',
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'OperationAborted',
  // The request was damaged on the way.
  'BadDigest',
  'IncompleteBody',
  'XAmzContentSHA256Mismatch',
]);
/** How large a body may be, and how long it may take: for errors, lists and answers to writes. A list of 1,000 keys has at most 7 MB. */
const SMALL = { bytes: 16 * 2 ** 20, ms: 60_000 };
/** For files, and pieces of them. */
const WHOLE = { bytes: 2 ** 30, ms: 600_000 };

/**
 * Signs requests to one bucket, and sends them through the proxy of the environment. Keeps connections open, and follows no
 * redirects. Distinguishes failures that a retry may cure from all others.
 */
export class S3Client {
  readonly name: string;
  readonly #patience: Patience;
  readonly #address: BucketAddress;
  readonly #prefix: string;
  readonly #credentials: Credentials;
  readonly #dispatcher: Dispatcher;
  /** Keys derived from the secret, by day. */
  readonly #derived = new Map<string, ArrayBuffer>();

  /**
   * @param silenceMs time without progress after which a request fails, in milliseconds. Default: 60 s
   * @throws TidemarkError `InvalidConfig`
   */
  constructor(settings: BucketSettings, env: NodeJS.ProcessEnv, patience = PATIENCE, silenceMs = SILENCE_MS) {
    this.#address = addressOf(settings, env);
    this.#credentials = readCredentials(env);
    const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
    this.#dispatcher = connectToAny({ connectMs: CONNECT_MS, keepAliveTimeout: KEEP_ALIVE_MS, ...timeouts }, env);
    this.#prefix = settings.prefix;
    this.#patience = patience;
    this.name = ['s3:/', settings.bucket, settings.prefix].filter((part) => part !== '').join('/');
  }

  /** Returns the key in the bucket: with the prefix of this storage. */
  fullKey(key: string): string {
    return this.#prefix === '' ? key : `${this.#prefix}/${key}`;
  }

  /**
   * Repeats `work` after each `TransientError`, and after the first refusals (`StorageError` `denied`).
   * @param key the file, for the message; undefined for a list
   * @throws the other errors of `work`; the third refusal in a row; when the time is over, the last refusal, or StorageError
   * `unreachable`
   */
  async retry<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    const { forMs, pauseMs, longestMs } = this.#patience;
    const begun = performance.now();
    let refusals = 0;
    for (let failed = 0; ; failed++) {
      try {
        return await work();
      } catch (error) {
        refusals = isStorageError(error, 'denied') ? refusals + 1 : 0;
        const isTransient = error instanceof TransientError;
        if (refusals === REFUSALS || (refusals === 0 && !isTransient)) throw error;
        const pause = Math.min(longestMs, pauseMs * 2 ** failed) * (1 - Math.random() / 2);
        if (performance.now() + pause - begun > forMs) {
          if (!isTransient) throw error;
          throw storageError('unreachable', this, key ?? 'the list', `cannot be reached: ${error.message}`, error);
        }
        await delay(pause);
      }
    }
  }

  /**
   * Sends a request once. The answer to a PUT or DELETE has no body.
   * @throws StorageError `denied`
   * @throws TransientError when a retry may succeed, also after 10 s without a connection or 60 s of silence
   * @throws TidemarkError `InvalidConfig` for the address of a proxy that Tidemark cannot use
   */
  async sendOnce(call: Call): Promise<Reply> {
    const { method, handles } = call;
    const reply = await this.#exchange(call);
    const { status, headers, body } = reply;
    const isOk = isSuccess(call, status);
    if (isOk && (method === 'GET' || body.length === 0)) return reply;
    const code = readErrorCode(body.toString('utf8'));
    if (isOk) {
      // Some requests fail after the status was sent: then a 200 has the body of an error.
      if (code !== undefined) this.#refuse(call, 500, code, headers);
      if (method === 'POST') return reply;
      throw new TransientError(`a page came with status ${status}, not an answer`);
    }
    if (status >= 200 && status <= 299) throw new TransientError(`the service answers status ${status}`);
    const isHandled = handles?.includes(status) && isAbout(call, status, code);
    if (isHandled || handles?.includes(code ?? '')) return reply;
    return this.#refuse(call, status, code, headers);
  }

  #refuse(call: Call, status: number, code: string | undefined, headers: Reply['headers']): never {
    const said = code === undefined ? `status ${status}` : `${status} ${code}`;
    if ((TRANSIENT.has(status) && !isFinal(code)) || (code !== undefined && TRANSIENT_CODES.has(code)))
      throw new TransientError(`the service answers ${said}`);
    const region = String(headers['x-amz-bucket-region'] ?? '');
    // Each refusal of a service has a code, except in answers without a body.
    if (code === undefined && region === '' && call.method !== 'HEAD')
      throw new TransientError(`the service answers ${said}`);
    const { what, todo } = describeRefusal(status, code, /^[a-z0-9-]{1,40}$/.test(region) ? region : undefined);
    const place = call.key === undefined ? this.name : `${this.name}: ${call.key}`;
    throw new StorageError('denied', `${place}: ${what} (${said}).`, { todo });
  }

  async #exchange(call: Call): Promise<Reply> {
    const { method, key, body = null } = call;
    const { url, headers } = await this.#sign(call);
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
          ...Object.fromEntries(headers),
          ...(body !== null && { 'content-length': String(body.length) }),
        },
        body: body === null || body.length <= PIECE_BYTES ? body : Readable.from(piecesOf(body)),
        // Never pause an answer: undici 7.30 ends the process if the service then closes the connection
        // (`assert(!this.paused)`).
        highWaterMark: Number.MAX_SAFE_INTEGER,
      });
      const { statusCode: status, headers: found, body: stream } = answer;
      // A body that is destroyed before its end has an error, which must not end the process.
      stream.on('error', () => undefined);
      const { bytes, ms } = method === 'GET' && key !== undefined && isSuccess(call, status) ? WHOLE : SMALL;
      timer = setTimeout(() => stream.destroy(new Error('the answer takes too long')), ms);
      return { status, headers: found, body: await readDecoded(stream, found['content-encoding'], bytes) };
    } catch (error) {
      throw error instanceof TidemarkError ? error : asTransient(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #sign({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: Call): Promise<{ url: URL; headers: globalThis.Headers }> {
    const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
    const path = key === undefined ? '' : this.fullKey(key).split('/').map(encode).join('/');
    const url = `${this.#address.url}/${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
    return new AwsV4Signer({
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? '') },
      ...this.#credentials,
      service: 's3',
      region: this.#address.region,
      cache: this.#derived,
    }).sign();
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

/** Whether a request succeeded with this status. A gateway that made or changed the answer may use another one. */
function isSuccess({ method, headers }: Call, status: number): boolean {
  if (method === 'DELETE') return status === 204;
  return status === 200 || (status === 206 && headers?.['range'] !== undefined);
}

const MISSING = ['NoSuchKey', 'NoSuchUpload', 'NoSuchVersion', 'NotFound'];

/** Whether a handled status is about the file. Services answer 404 also for a missing bucket; so do gateways. */
function isAbout({ method }: Call, status: number, code: string | undefined): boolean {
  if (method === 'HEAD') return true;
  if (status === 404) return code !== undefined && MISSING.includes(code);
  return status !== 416 || code === 'InvalidRange';
}

/** Whether an error that came with a transient status would come again. */
function isFinal(code: string | undefined): boolean {
  return code === 'AccessDenied' || code === 'NotImplemented' || code === 'NoSuchBucket';
}

/** Encodes all letters that RFC 3986 does not call unreserved, as the signature needs it. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns the version in an ETag: without quotes and without the mark of a weak tag. */
export function versionIn(headers: Reply['headers']): string | undefined {
  const etag = headers['etag'];
  return typeof etag === 'string' ? etag.replace(/^W\//, '').replaceAll('"', '') || undefined : undefined;
}
