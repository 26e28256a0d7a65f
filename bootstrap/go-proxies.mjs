import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DownloadError, downloadFile } from './download-file.mjs';

/**
 * An entry of `GOPROXY`. `onAnyError` is true if a `|` follows the entry: the next entry is then tried after any error.
 * If a `,` follows, the next entry is tried only after status 404 or 410.
 *
 * @typedef {{ address: string, onAnyError: boolean }} GoProxy
 */

/**
 * Reads the list of Go module proxies: `GOPROXY` of the environment, else of Go's configuration file, which
 * `go env -w` writes.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {GoProxy[]} without the entry `direct` and what follows it
 * @throws {Error} when no proxy is configured
 */
export function goProxies(env) {
  const list = env['GOPROXY'] || fromGoEnv(env);
  if (!list) throw new Error('GOPROXY is not set. Set it to the Go module proxy of your network');
  const entries = [...list.matchAll(/([^,|]+)([,|]?)/g)].map(([, address = '', end]) => ({
    address: address.trim().replace(/\/$/, ''),
    onAnyError: end === '|',
  }));
  const last = entries.findIndex(({ address }) => address === 'direct' || address === 'off');
  const proxies = last < 0 ? entries : entries.slice(0, last);
  if (proxies.length === 0) throw new Error(`GOPROXY is ${list}, which names no Go module proxy`);
  return proxies;
}

/**
 * Fetches a file of a Go module from the first proxy that has the file.
 *
 * @param {readonly GoProxy[]} proxies
 * @param {string} name path of the file below the address of the proxy
 * @param {string} target file to write
 * @param {{ what: string, log: (line: string) => void, stallMs?: number, fetch?: typeof globalThis.fetch }} options
 * @throws {Error} with the reason of each proxy that was asked
 */
export async function fetchFromProxies(proxies, name, target, options) {
  /** @type {string[]} */
  const reasons = [];
  for (const { address, onAnyError } of proxies) {
    try {
      if (address.startsWith('file://')) copyFileSync(path.join(fileURLToPath(address), name), target);
      else await downloadFile(`${address}/${name}`, target, options);
      return;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
      if (!onAnyError && !isMissing(error)) break;
    }
  }
  throw new Error(reasons.join('; '));
}

/** @param {unknown} error */
function isMissing(error) {
  if (error instanceof DownloadError) return error.status === 404 || error.status === 410;
  return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT';
}

/**
 * Returns GOPROXY of Go's configuration file.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function fromGoEnv(env) {
  const home = env['HOME'] || os.homedir();
  const folder =
    process.platform === 'darwin'
      ? path.join(home, 'Library', 'Application Support')
      : env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  const file = env['GOENV'] || path.join(folder, 'go', 'env');
  if (!existsSync(file)) return undefined;
  return /^GOPROXY=(.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.trim();
}
