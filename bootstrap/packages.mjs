import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkOwnBin } from './link-own-bin.mjs';
import { withLock } from './lock.mjs';
import { findNpm } from './npm.mjs';
import { sayProgress } from './progress.mjs';
import { runProcess } from './run-process.mjs';

const INSTALL_LIMIT_MS = 10 * 60_000;
/** File in node_modules. It holds the SHA-256 of the lockfile from which the packages were installed. */
const STAMP = '.tidemark-lockfile.sha256';

/**
 * Installs the packages of package-lock.json if packages are missing or the lockfile changed. Installs into a separate
 * folder, and moves it to node_modules when it is complete. So a failed or killed install changes nothing.
 *
 * @param {{ root?: string, dev?: boolean, log?: (line: string) => void }} [options] `dev: false` accepts a node_modules
 * without development packages, as in a production image. An install always includes them.
 * @returns {Promise<boolean>} whether packages were installed
 * @throws {Error} with the end of npm's output
 */
export async function ensurePackages({ root = projectRoot(), dev = true, log = logToStderr } = {}) {
  if (isInstalled(root, dev)) return false;
  const work = path.join(root, '.bootstrap');
  const onWait = (/** @type {string} */ holder) => log(`Packages are being installed by ${holder}; waiting.`);
  return withLock(path.join(work, 'packages.lock'), { onWait }, async () => {
    if (isInstalled(root, dev)) return false; // the previous holder of the lock installed the packages
    removeLeftovers(work);
    await install(root, work, log);
    return true;
  });
}

/** Returns the folder of package.json. */
export function projectRoot() {
  return fileURLToPath(new URL('..', import.meta.url));
}

/**
 * @param {string} root
 * @param {boolean} dev
 */
function isInstalled(root, dev) {
  const modules = path.join(root, 'node_modules');
  const lockfile = readText(path.join(root, 'package-lock.json'));
  if (lockfile === undefined)
    throw new Error(`There is no package-lock.json in ${root}. Restore it: git checkout package-lock.json`);
  const installed = readText(path.join(modules, '.package-lock.json'));
  if (installed === undefined) return false;
  if (readText(path.join(modules, STAMP)) === hash(lockfile)) return true;
  // Without a matching stamp, the packages come from `npm ci`, or from an image without development packages. npm
  // writes its list of packages last, so the list proves that the install was completed.
  return hasAllPackages(lockfile, installed, dev);
}

/**
 * Whether every package of the lockfile is installed in its version. Optional packages may be missing, because they may
 * be for other platforms.
 *
 * @param {string} lockfile content of package-lock.json
 * @param {string} installed content of node_modules/.package-lock.json, npm's list of installed packages
 * @param {boolean} dev whether to check development packages too
 * @returns {boolean}
 */
export function hasAllPackages(lockfile, installed, dev) {
  const wanted = Object.entries(JSON.parse(lockfile).packages ?? {});
  const present = JSON.parse(installed).packages ?? {};
  return wanted.every(([name, entry]) => {
    if (name === '' || entry.optional || entry.devOptional || entry.peer || (entry.dev && !dev)) return true;
    return present[name]?.version === entry.version;
  });
}

/**
 * @param {string} root
 * @param {string} work
 * @param {(line: string) => void} log
 */
async function install(root, work, log) {
  const stage = path.join(work, `install-${process.pid}`);
  mkdirSync(stage, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    if (existsSync(path.join(root, file))) copyFileSync(path.join(root, file), path.join(stage, file));
  }
  const npm = findNpm();
  // Run no install scripts: no package needs one, and npm 11 would only warn that it skipped them.
  const args = [...npm.args, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const stopProgress = sayProgress(log, () => 'Installing packages', { firstMs: 2_000 });
  try {
    const result = await runProcess(npm.command, args, {
      cwd: stage,
      env: npm.env,
      shell: npm.shell,
      timeoutMs: INSTALL_LIMIT_MS,
    });
    if (!result.ok) throw new Error(describeFailure(result));
  } finally {
    stopProgress();
  }
  const modules = path.join(stage, 'node_modules');
  linkOwnBin(root, modules);
  writeFileSync(path.join(modules, STAMP), hash(readFileSync(path.join(stage, 'package-lock.json'), 'utf8')));
  if (existsSync(path.join(root, 'node_modules')))
    renameSync(path.join(root, 'node_modules'), path.join(work, `old-${process.pid}`));
  renameSync(modules, path.join(root, 'node_modules'));
  removeLeftovers(work);
}

/** @param {import('./run-process.mjs').ProcessResult} result */
function describeFailure(result) {
  const how = result.error ?? `exit code ${result.code}`;
  return (
    `npm could not install the packages (${how}). The end of its output:\n\n${result.tail || '(nothing)'}\n\n` +
    'Check the network and the registry of npm (npm config get registry), then run the same command again.'
  );
}

/** @param {string} work */
function removeLeftovers(work) {
  for (const name of readdirSync(work)) {
    if (/^(install|old)-/.test(name)) rmSync(path.join(work, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} line */
function logToStderr(line) {
  process.stderr.write(`${line}\n`);
}
