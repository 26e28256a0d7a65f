import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { request, type Dispatcher } from 'undici';
import { errorMessage } from '../../base/errors.js';
import { writeFileAtomic } from '../../store/files.js';
import { isUnsafeAddress } from '../../config/rates-source.js';
import { connectToAny } from '../../base/network/connections.js';
import { CodingError, readDecoded } from '../../base/network/content-coding.js';

// Limits of a download. The daily rates of thirty currencies since 1999 are about 1 MB as CSV.
const TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;
const MOST_BYTES = 64 * 1024 * 1024;

/** Path of the last download of an address. Parquet files keep their suffix, all other files get `.csv`. */
export function downloadedFile(folder: string, address: string): string {
  const suffix = /\.parquet$/i.test(new URL(address).pathname) ? 'parquet' : 'csv';
  const id = createHash('sha256').update(address).digest('hex').slice(0, 16);
  return path.join(folder, `${id}.${suffix}`);
}

/** Path of the file with the tag (ETag) of a download. */
export function tagOf(file: string): string {
  return `${file}.etag`;
}

/**
 * Downloads the file of exchange rates and replaces the last download. Keeps the last download if the server says that
 * the file is the same (ETag, status 304).
 * @returns whether the last download was replaced
 * @throws Error with a phrase about the cause; the last download then stays
 */
export async function downloadRates(folder: string, address: string): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const file = downloadedFile(folder, address);
  const tagFile = tagOf(file);
  const known = existsSync(file) && existsSync(tagFile) ? readFileSync(tagFile, 'utf8') : null;
  const headers: Record<string, string> = known === null ? {} : { 'if-none-match': known };
  const dispatcher = connectToAny({ connectMs: TIMEOUT_MS, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const { statusCode: status, headers: got, body } = await follow(address, { dispatcher, signal, headers });
    if (known !== null && status === 304) return false;
    if (status < 200 || status > 299) throw new Error(`the server answered with status ${status}`);
    const content = await readDecoded(body, got['content-encoding'], MOST_BYTES);
    // Remove the old tag first. After a crash, it must not belong to another file.
    rmSync(tagFile, { force: true });
    await writeFileAtomic(file, content);
    const { etag } = got;
    if (typeof etag === 'string') await writeFileAtomic(tagFile, etag);
    return true;
  } catch (error) {
    if (signal.aborted) throw new Error(`no complete answer within ${TIMEOUT_MS / 1_000} s`, { cause: error });
    if (error instanceof CodingError && error.kind === 'too-large')
      throw new Error(`the file is larger than ${MOST_BYTES / 1024 / 1024} MiB`, { cause: error });
    throw error;
  } finally {
    await dispatcher.destroy();
  }
}

type Options = Pick<Dispatcher.RequestOptions, 'headers' | 'signal'> & { dispatcher: Dispatcher };

/** Gets an address and follows redirects, but not to plain http on another machine. */
async function follow(address: string, options: Options): Promise<Dispatcher.ResponseData> {
  let next = address;
  for (let i = 0; i <= MOST_REDIRECTS; i++) {
    const response = await request(next, options).catch((error: unknown) => {
      throw new Error(`no answer (${errorMessage(error)})`, { cause: error });
    });
    const { location } = response.headers;
    if (typeof location !== 'string' || response.statusCode < 300 || response.statusCode > 399) return response;
    await response.body.dump();
    next = new URL(location, next).href;
    if (isUnsafeAddress(next)) throw new Error(`the server redirects to plain http (${next})`);
  }
  throw new Error(`the server redirects more than ${MOST_REDIRECTS} times`);
}
