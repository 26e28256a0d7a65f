import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extractFile } from './archive.mjs';
import { sayProgress } from './progress.mjs';
import { TEMPORAL_VERSION } from './temporal-version.mjs';

const TOTAL_LIMIT_MS = 5 * 60_000;
const STALL_LIMIT_MS = 20_000;
const OFFICIAL = 'https://temporal.download/cli/archive';

/**
 * Downloads the official Temporal CLI for this platform into `folder`.
 *
 * @param {string} folder an existing folder for this download only
 * @param {{ log: (line: string) => void, env?: NodeJS.ProcessEnv, stallMs?: number }} options
 * `TIDEMARK_TEMPORAL_DOWNLOAD_URL` in `env` names a mirror with the same paths as the official address
 * @returns {Promise<string>} path of the unpacked program, not yet tested
 * @throws {Error} when the download fails, is incomplete, stalls for 20 s or takes more than 5 min
 */
export async function downloadTemporal(folder, { log, env = process.env, stallMs = STALL_LIMIT_MS }) {
  const url = downloadUrl(env['TIDEMARK_TEMPORAL_DOWNLOAD_URL'] || OFFICIAL);
  const archive = path.join(folder, 'archive');
  await downloadFile(url, archive, { log, stallMs });
  const name = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
  await extractFile(archive, name, path.join(folder, name));
  return path.join(folder, name);
}

/**
 * Builds the address of the download.
 *
 * @param {string} base
 * @param {string} [platform]
 * @param {string} [arch]
 */
export function downloadUrl(base, platform = process.platform, arch = process.arch) {
  const os = platform === 'win32' ? 'windows' : platform;
  const cpu = arch === 'x64' ? 'amd64' : arch;
  return `${base.replace(/\/$/, '')}/v${TEMPORAL_VERSION}?platform=${os}&arch=${cpu}`;
}

/**
 * Downloads `url` into `file`.
 *
 * @param {string} url
 * @param {string} file
 * @param {{ log: (line: string) => void, stallMs: number }} options
 * @throws {Error} with the address and the reason
 */
async function downloadFile(url, file, { log, stallMs }) {
  const stalled = new AbortController();
  const cancel = () => stalled.abort(new Error(`no data received for ${stallMs / 1000} s`));
  const timer = setTimeout(cancel, stallMs);
  let received = 0;
  let announced = 0;
  const stop = sayProgress(
    log,
    () => `Downloading the Temporal CLI: ${megabytes(received)} of ${announced ? megabytes(announced) : 'unknown'}`,
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
    const response = await fetch(url, { signal });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    announced = Number(response.headers.get('content-length') ?? 0);
    await pipeline(Readable.fromWeb(/** @type {any} */ (response.body)), meter, createWriteStream(file), { signal });
    if (announced > 0 && received !== announced) throw new Error(`received ${received} of ${announced} bytes`);
  } catch (error) {
    throw new Error(`${url}: ${reasonOf(stalled.signal.aborted ? stalled.signal.reason : error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    stop();
  }
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
