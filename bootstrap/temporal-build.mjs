import path from 'node:path';
import { fetchGo, GO_VERSION } from './go-toolchain.mjs';
import { sayProgress } from './progress.mjs';
import { runProcess } from './run-process.mjs';
import { TEMPORAL_VERSION } from './temporal-version.mjs';

const BUILD_LIMIT_MS = 20 * 60_000;
const BUILD_TIME = '4 to 7 minutes';
const MODULE = 'github.com/temporalio/cli';

/**
 * Builds the Temporal CLI into `folder` with Go. The build has the same version as the official download and includes
 * the web UI.
 *
 * @param {string} folder an existing folder for this build only
 * @param {{ log: (line: string) => void, go?: string, env?: NodeJS.ProcessEnv, limitMs?: number }} options `go`: the
 *   program, by default the Go that is installed on this machine
 * @returns {Promise<string>} path of the program, not yet tested
 * @throws {Error} without Go, after 20 min, or when the build fails (with the last lines of its output)
 */
export async function buildTemporal(folder, { log, go = 'go', env = process.env, limitMs = BUILD_LIMIT_MS }) {
  const found = await runProcess(go, ['version'], { env, timeoutMs: 20_000 });
  if (!found.ok) throw new Error('Go is not installed');

  log(`Building the Temporal CLI ${TEMPORAL_VERSION} with Go. This takes a few minutes and is needed only once.`);
  let modules = 0;
  let packages = 0;
  const onLine = (/** @type {string} */ line) => {
    if (line.startsWith('go: downloading ')) modules++;
    else if (!line.startsWith('go: ')) packages++;
  };
  const stop = sayProgress(
    log,
    () => `Building the Temporal CLI: ${modules} modules fetched, ${packages} packages compiled`,
  );
  // The official release uses the same linker flags: they set the version and leave out debug information.
  const flags = `-s -w -X ${MODULE}/temporalcli.Version=${TEMPORAL_VERSION}`;
  try {
    const args = ['install', '-v', '-ldflags', flags, `${MODULE}/cmd/temporal@v${TEMPORAL_VERSION}`];
    const result = await runProcess(go, args, {
      cwd: folder,
      env: buildEnvironment(folder, env),
      timeoutMs: limitMs,
      onLine,
    });
    if (!result.ok)
      throw new Error(`go install: ${result.error ?? `exit code ${result.code}`}\n${lastLines(result.tail)}`);
  } finally {
    stop();
  }
  return path.join(folder, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
}

/**
 * Builds the Temporal CLI into `folder` on a machine without Go. Go, its modules and its caches stay in `folder`, so
 * that the caller removes them together with it.
 *
 * @param {string} folder an existing folder for this build only
 * @param {{ log: (line: string) => void, env: NodeJS.ProcessEnv, checksum?: string, fetch?: typeof globalThis.fetch }} options
 *   `checksum` and `fetch` as for `fetchGo`
 * @returns {Promise<string>} path of the program, not yet tested
 * @throws {Error} when Go cannot be fetched (see `fetchGo`) or the build fails (see `buildTemporal`)
 */
export async function buildTemporalWithFetchedGo(folder, { log, env, ...options }) {
  log(
    `Fetching Go ${GO_VERSION} (70 MB) to build the Temporal CLI. With the build, this usually takes ${BUILD_TIME} on two cores and needs 4 GB of disk; Go is removed afterwards. To avoid the build, install the Temporal CLI or set TEMPORAL_CLI_PATH to it.`,
  );
  const root = path.join(folder, 'go');
  const go = await fetchGo(root, { log, env, ...options });
  const own = {
    GOROOT: root,
    GOTOOLCHAIN: 'local',
    GOPATH: path.join(folder, 'gopath'),
    GOMODCACHE: path.join(folder, 'modules'),
    GOCACHE: path.join(folder, 'cache'),
    // Go makes modules read-only unless this flag is set, so that removing the folder would fail.
    GOFLAGS: '-modcacherw',
  };
  return buildTemporal(folder, { log, go, env: { ...env, ...own } });
}

/**
 * Returns the user's environment (proxy, module cache) without the settings that build for another machine or into
 * another folder.
 *
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
function buildEnvironment(folder, { GOOS: _os, GOARCH: _arch, ...env }) {
  return { ...env, GOBIN: folder, GOWORK: 'off', CGO_ENABLED: '0' };
}

/** @param {string} tail */
function lastLines(tail) {
  return tail.split('\n').slice(-8).join('\n');
}
