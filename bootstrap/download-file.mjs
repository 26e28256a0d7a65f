import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sayProgress } from './progress.mjs';

const TOTAL_LIMIT_MS = 5 * 60_000;
const STALL_LIMIT_MS = 20_000;

/** A download that failed. `status` is the HTTP status, if the server refused the request. */
export class DownloadError extends Error {
  /**
   * @param {string} message
   * @param {{ cause?: unknown, status?: number | undefined }} [options]
   */
  constructor(message, { cause, status } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

/**
 * Downloads `address` into `file`. A user name and a password in the address are sent as HTTP Basic authentication, and
 * never shown.
 *
 * @param {string} address
 * @param {string} file
 * @param {{ what: string, log: (line: string) => void, stallMs?: number, fetch?: typeof globalThis.fetch }} options
 *   `what` names the file for people; `fetch` knows how to reach the network, for example through a proxy
 * @throws {DownloadError} with the address and the reason: refused, incomplete, no data for 20 s, or more than 5 min
 */
export async function downloadFile(address, file, { what, log, stallMs = STALL_LIMIT_MS, fetch = globalThis.fetch }) {
  const { url, headers } = withoutPassword(address);
  const stalled = new AbortController();
  const cancel = () => stalled.abort(new Error(`no data received for ${stallMs / 1000} s`));
  const timer = setTimeout(cancel, stallMs);
  let received = 0;
  let announced = 0;
  /** @type {number | undefined} */
  let status;
  const stop = sayProgress(
    log,
    () => `Downloading ${what}: ${megabytes(received)} of ${announced ? megabytes(announced) : 'unknown'}`,
  );
  const meter = new Transform({
    transform(chunk, _encoding, done) {
      received += chunk.length;
      timer.refresh();
      done(null, chunk);
    },
  });
  try {
    const signal = AbortSignal.any([stalled.signal, AbortSignal.timeout(TOTAL_LIMIT_MS)]);
    const response = await fetch(url, { signal, headers });
    if (!response.ok || response.body === null) {
      status = response.status;
      throw new Error(`the server answered ${status}`);
    }
    // If a gateway compressed the file, the header counts the compressed bytes.
    if (!response.headers.has('content-encoding')) announced = Number(response.headers.get('content-length') ?? 0);
    await pipeline(Readable.fromWeb(/** @type {any} */ (response.body)), meter, createWriteStream(file), { signal });
    if (announced > 0 && received !== announced) throw new Error(`received ${received} of ${announced} bytes`);
  } catch (error) {
    const reason = reasonOf(stalled.signal.aborted ? stalled.signal.reason : error);
    throw new DownloadError(`${url}: ${reason}`, { cause: error, status });
  } finally {
    clearTimeout(timer);
    stop();
  }
}

/**
 * Separates the credentials from an address. `fetch` rejects an address that contains credentials.
 *
 * @param {string} address
 * @returns {{ url: string, headers: Record<string, string> }}
 */
function withoutPassword(address) {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '') return { url: address, headers: {} };
  url.username = url.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}

/**
 * Describes an error. In a `fetch failed` error, only `cause` states the reason.
 *
 * @param {unknown} error
 */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${Math.round(bytes / 1e6)} MB`;
}
