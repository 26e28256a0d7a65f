import path from 'node:path';
import { sayProgress } from './progress.mjs';
import { runProcess } from './run-process.mjs';
import { TEMPORAL_VERSION } from './temporal-version.mjs';

const BUILD_LIMIT_MS = 10 * 60_000;
const MODULE = 'github.com/temporalio/cli';

/**
 * Builds the Temporal CLI into `folder` with the Go that is installed on this machine. The build has the same version
 * as the official download and includes the web UI.
 *
 * @param {string} folder an existing folder for this build only
 * @param {{ log: (line: string) => void, go?: string, limitMs?: number }} options
 * @returns {Promise<string>} path of the program, not yet tested
 * @throws {Error} without Go, after 10 min, or when the build fails (with the last lines of its output)
 */
export async function buildTemporal(folder, { log, go = 'go', limitMs = BUILD_LIMIT_MS }) {
  const found = await runProcess(go, ['version'], { timeoutMs: 20_000 });
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
      env: buildEnvironment(folder),
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
 * Returns the user's environment (proxy, module cache) without the settings that build for another machine or into
 * another folder.
 *
 * @param {string} folder
 */
function buildEnvironment(folder) {
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  return { ...env, GOBIN: folder, GOWORK: 'off', CGO_ENABLED: '0' };
}

/** @param {string} tail */
function lastLines(tail) {
  return tail.split('\n').slice(-8).join('\n');
}
