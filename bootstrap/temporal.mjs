import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache.mjs';
import { withLock } from './lock.mjs';
import { buildTemporal, buildTemporalWithFetchedGo } from './temporal-build.mjs';
import { downloadTemporal } from './temporal-download.mjs';
import { readTemporalVersion, TEMPORAL_VERSION } from './temporal-version.mjs';

/**
 * A working Temporal CLI. `source` says how it was found or installed.
 *
 * @typedef {{ path: string, version: string, source: 'TEMPORAL_CLI_PATH' | 'PATH' | 'cache' | 'download' | 'go' |
 *   'fetched go' }} TemporalCli
 */

/**
 * Finds or installs the Temporal CLI. Tries in this order: `TEMPORAL_CLI_PATH`, `temporal` on PATH, the project's cache
 * folder, the official download, a build with the installed Go, a build with Go from the configured module proxy.
 *
 * The cache folder gets a program only after the program was completed and tested. A lock prevents two installs at
 * once: a second process waits and then uses the program that the first process installed.
 *
 * @param {{ log?: (line: string) => void, env?: NodeJS.ProcessEnv, go?: string, fetch?: typeof globalThis.fetch }} [options]
 *   `log` gets progress lines; `fetch` downloads, for example through a proxy
 * @returns {Promise<TemporalCli>}
 * @throws {Error} when `TEMPORAL_CLI_PATH` names no working CLI, or when every way failed, with all reasons
 */
export async function ensureTemporalCli({
  log = logToStderr,
  env = process.env,
  go = 'go',
  fetch = globalThis.fetch,
} = {}) {
  const named = env['TEMPORAL_CLI_PATH'];
  if (named) {
    const answer = await readTemporalVersion(named);
    if ('version' in answer) return { path: named, version: answer.version, source: 'TEMPORAL_CLI_PATH' };
    throw new Error(
      `TEMPORAL_CLI_PATH is ${named}, which is not a working Temporal CLI: ${answer.reason}. Correct it or unset it.`,
    );
  }
  const onPath = findOnPath(env);
  const fromPath = onPath ? await readTemporalVersion(onPath) : { reason: 'not found' };
  if (onPath && 'version' in fromPath) return { path: onPath, version: fromPath.version, source: 'PATH' };

  const cache = cacheFolder(env);
  const target = path.join(cache, cachedName());
  const cached = await tryCached(target);
  if (cached) return cached;

  const onWait = (/** @type {string} */ holder) => log(`The Temporal CLI is being installed by ${holder}; waiting.`);
  return withLock(path.join(cache, `${cachedName()}.lock`), { onWait }, async () => {
    const meanwhile = await tryCached(target);
    if (meanwhile) return meanwhile;
    /** @type {[TemporalCli['source'], (folder: string) => Promise<string>][]} */
    const ways = [
      ['download', (folder) => downloadTemporal(folder, { log, env, fetch })],
      ['go', (folder) => buildTemporal(folder, { log, go })],
      ['fetched go', (folder) => buildTemporalWithFetchedGo(folder, { log, env, fetch })],
    ];
    /** @type {string[]} */
    const reasons = [];
    for (const [source, get] of ways) {
      try {
        await getInto(target, get);
        return { path: target, version: TEMPORAL_VERSION, source };
      } catch (error) {
        reasons.push(error instanceof Error ? error.message : String(error));
        if (source === 'download')
          log(`The official download of the Temporal CLI did not work (${reasons[0]}); trying Go.`);
      }
    }
    throw new Error(describeFailure('reason' in fromPath ? fromPath.reason : '', target, reasons));
  });
}

/**
 * Returns the file name in the cache folder. The name contains the platform, because machines of different platforms
 * may share a home folder.
 */
export function cachedName() {
  return `temporal-${TEMPORAL_VERSION}-${process.platform}-${process.arch}${process.platform === 'win32' ? '.exe' : ''}`;
}

/**
 * Returns the cached CLI, if it exists and works.
 *
 * @param {string} target
 * @returns {Promise<TemporalCli | undefined>}
 */
async function tryCached(target) {
  if (!existsSync(target)) return undefined;
  const answer = await readTemporalVersion(target);
  return 'version' in answer ? { path: target, version: answer.version, source: 'cache' } : undefined;
}

/**
 * Puts the program into a temporary folder, tests it, and only then moves it to `target`.
 *
 * @param {string} target
 * @param {(folder: string) => Promise<string>} get
 */
async function getInto(target, get) {
  const prefix = `${target}.part-`;
  removeLeftovers(prefix);
  const folder = mkdtempSync(prefix);
  try {
    const program = await get(folder);
    chmodSync(program, 0o755);
    const answer = await readTemporalVersion(program);
    if (!('version' in answer)) throw new Error(`the downloaded Temporal CLI does not start: ${answer.reason}`);
    if (answer.version !== TEMPORAL_VERSION)
      throw new Error(`the downloaded Temporal CLI has version ${answer.version}, not ${TEMPORAL_VERSION}`);
    renameSync(program, target);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Deletes the folders of killed attempts. The caller holds the lock, so no process uses these folders.
 *
 * @param {string} prefix path and start of the names of the folders
 */
function removeLeftovers(prefix) {
  const parent = path.dirname(prefix);
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    if (name.startsWith(path.basename(prefix)))
      rmSync(path.join(parent, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @param {NodeJS.ProcessEnv} env */
function findOnPath(env) {
  const names = process.platform === 'win32' ? ['temporal.exe'] : ['temporal'];
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find((file) => existsSync(file));
}

/**
 * @param {string} onPath
 * @param {string} target
 * @param {string[]} reasons
 */
function describeFailure(onPath, target, [download = '', build = '', fetched = '']) {
  return [
    `There is no Temporal CLI (version ${TEMPORAL_VERSION}), which contains the local Temporal server. Tidemark tried these ways in order:`,
    '  1. TEMPORAL_CLI_PATH: not set',
    `  2. \`temporal\` on PATH: ${onPath}`,
    `  3. the cache: no working ${target}`,
    `  4. the official download: ${download}`,
    `  5. \`go install github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_VERSION}\`: ${build}`,
    `  6. the same with Go from the module proxy in GOPROXY: ${fetched}`,
    'Make one of these ways work, or set TEMPORAL_ADDRESS to a running Temporal server.',
  ].join('\n');
}

/** @param {string} line */
function logToStderr(line) {
  process.stderr.write(`${line}\n`);
}
