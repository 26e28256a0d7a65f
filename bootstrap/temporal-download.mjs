import path from 'node:path';
import { extractFile } from './archive.mjs';
import { downloadFile } from './download-file.mjs';
import { TEMPORAL_VERSION } from './temporal-version.mjs';

const OFFICIAL = 'https://temporal.download/cli/archive';

/**
 * Downloads the official Temporal CLI for this platform into `folder`.
 *
 * @param {string} folder an existing folder for this download only
 * @param {{ log: (line: string) => void, env?: NodeJS.ProcessEnv, stallMs?: number, fetch?: typeof globalThis.fetch }} options
 * `TIDEMARK_TEMPORAL_DOWNLOAD_URL` in `env` names a mirror with the same paths as the official address
 * @returns {Promise<string>} path of the unpacked program, not yet tested
 * @throws {Error} when the download fails, is incomplete, stalls for 20 s or takes more than 5 min
 */
export async function downloadTemporal(folder, { log, env = process.env, ...options }) {
  const url = downloadUrl(env['TIDEMARK_TEMPORAL_DOWNLOAD_URL'] || OFFICIAL);
  const archive = path.join(folder, 'archive');
  await downloadFile(url, archive, { what: 'the Temporal CLI', log, ...options });
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
