import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../core/files.js';
import { isUnsafeAddress } from '../core/rates-source.js';

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
  const response = await follow(address, { signal, headers }).catch((error: unknown) => {
    if (signal.aborted) throw new Error(`no complete answer within ${TIMEOUT_MS / 1_000} s`, { cause: error });
    throw error;
  });
  if (known !== null && response.status === 304) return false;
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`the file is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
  }
  // Remove the old tag first. After a crash, it must not belong to another file.
  rmSync(tagFile, { force: true });
  await writeFileAtomic(file, Buffer.concat(chunks));
  const tag = response.headers.get('etag');
  if (tag !== null) await writeFileAtomic(tagFile, tag);
  return true;
}

/** Gets an address and follows redirects, but not to plain http on another machine. */
async function follow(address: string, options: RequestInit): Promise<Response> {
  let next = address;
  for (let i = 0; i <= MOST_REDIRECTS; i++) {
    const response = await fetch(next, { ...options, redirect: 'manual' }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Error(`no answer (${cause})`, { cause: error });
    });
    const location = response.headers.get('location');
    if (location === null || response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    next = new URL(location, next).href;
    if (isUnsafeAddress(next)) throw new Error(`the server redirects to plain http (${next})`);
  }
  throw new Error(`the server redirects more than ${MOST_REDIRECTS} times`);
}
