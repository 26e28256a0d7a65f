import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zipEntries } from './archive.mjs';
import { fetchFromProxies, goProxies } from './go-proxies.mjs';

/** Version of Go that builds the Temporal CLI on a machine without Go. */
export const GO_VERSION = '1.26.8';

/**
 * Checksums of the toolchain modules, as in a `go.sum` file (Go modules reference, "go.sum files"). To change the
 * version, run for each platform: `go mod download -json golang.org/toolchain@v0.0.1-go<version>.<platform>`. This
 * command also compares the checksum with Go's public checksum database.
 *
 * @type {Readonly<Record<string, string>>}
 */
const CHECKSUMS = {
  'darwin-amd64': 'h1:7/9KPPN8PckcA9s91hm2jmQMhzW4KyTJXHIs45L0C9M=',
  'darwin-arm64': 'h1:dFjGhY6f8DTsY8/rLchUTDRRfjJP4pCrGCwxvHFT2Fg=',
  'linux-amd64': 'h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=',
  'linux-arm64': 'h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=',
};

/**
 * Fetches Go as a module from the configured Go module proxy, and unpacks it. Nothing is unpacked before the checksum
 * is verified.
 *
 * @param {string} folder the folder for Go; must not exist yet
 * @param {{ log: (line: string) => void, env: NodeJS.ProcessEnv, checksum?: string, stallMs?: number, fetch?: typeof globalThis.fetch }} options
 *   `checksum` replaces the checksum of this platform
 * @returns {Promise<string>} path of the program `go`
 * @throws {Error} when no proxy is configured, when no proxy has the module, or when the checksum of the downloaded
 *   module is wrong
 */
export async function fetchGo(folder, { log, env, checksum = CHECKSUMS[goPlatform()], ...options }) {
  const platform = goPlatform();
  if (checksum === undefined) throw new Error(`Tidemark knows no checksum of Go for ${platform}`);
  const version = `v0.0.1-go${GO_VERSION}.${platform}`;
  const archive = `${folder}.zip`;
  mkdirSync(path.dirname(folder), { recursive: true });
  const what = `Go ${GO_VERSION}`;
  const proxies = goProxies(env);
  await fetchFromProxies(proxies, `golang.org/toolchain/@v/${version}.zip`, archive, { what, log, ...options });
  const zip = readFileSync(archive);
  const found = hashModule(zip);
  if (found !== checksum) throw new Error(`the module of Go has the checksum ${found} instead of ${checksum}`);
  unpackModule(zip, `golang.org/toolchain@${version}/`, folder);
  rmSync(archive);
  return path.join(folder, 'bin', 'go');
}

/** Returns this platform as Go names it: `linux-amd64`. */
export function goPlatform(platform = process.platform, arch = process.arch) {
  return `${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? 'amd64' : arch}`;
}

/**
 * Returns the checksum `h1:` of a module: the SHA-256 of a list with the SHA-256 and the name of each file.
 *
 * @param {Buffer} zip
 */
function hashModule(zip) {
  /** @type {Map<string, string>} */
  const hashes = new Map();
  for (const { name, read } of zipEntries(zip)) hashes.set(name, createHash('sha256').update(read()).digest('hex'));
  const list = [...hashes.keys()].toSorted().map((name) => `${hashes.get(name)}  ${name}\n`);
  return `h1:${createHash('sha256').update(list.join('')).digest('base64')}`;
}

/**
 * Unpacks a toolchain module in the same way as the go command. A module zip cannot contain `go.mod` files of other
 * modules, so they are named `_go.mod`. It has no permissions either: programs become executable here.
 *
 * @param {Buffer} zip
 * @param {string} prefix beginning of all names
 * @param {string} folder
 */
function unpackModule(zip, prefix, folder) {
  for (const { name, read } of zipEntries(zip)) {
    const relative = name.slice(prefix.length).replace(/(^|\/)_go\.mod$/, '$1go.mod');
    if (!name.startsWith(prefix) || relative.split('/').includes('..'))
      throw new Error(`the module of Go contains a file of another module: ${name}`);
    const file = path.join(folder, relative);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, read(), { mode: /^(bin|pkg\/tool)\//.test(relative) ? 0o755 : 0o644 });
  }
}
