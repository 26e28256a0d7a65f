import { createHash } from 'node:crypto';
import path from 'node:path';
import { writeFileAtomic } from '../core/files.js';

// Limits of a download. The daily rates of thirty currencies since 1999 are about 1 MB as CSV.
const TIMEOUT_MS = 30_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Path of the last download of an address. Parquet files keep their suffix, all other files get `.csv`. */
export function downloadedFile(folder: string, address: string): string {
  const suffix = /\.parquet$/i.test(new URL(address).pathname) ? 'parquet' : 'csv';
  const id = createHash('sha256').update(address).digest('hex').slice(0, 16);
  return path.join(folder, `${id}.${suffix}`);
}

/**
 * Downloads the file of exchange rates and replaces the last download.
 * @throws Error with a phrase about the cause; the last download then stays
 */
export async function downloadRates(folder: string, address: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(address, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw new Error(`no complete answer within ${TIMEOUT_MS / 1_000} s`, { cause: error });
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Error(`no answer (${cause})`, { cause: error });
  });
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`the file is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
  }
  await writeFileAtomic(downloadedFile(folder, address), Buffer.concat(chunks));
}
