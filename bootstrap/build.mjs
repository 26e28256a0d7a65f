import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { bundleCommands } from './bundle.mjs';
import { withLock } from './lock.mjs';
import { runProcess } from './run-process.mjs';

const COMPILE_LIMIT_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
/** Keep builds that were used within this time, because a running worker loads some of its modules late. */
const KEEP_MS = 7 * DAY_MS;
/** Folders of TypeScript and JavaScript that are compiled. */
const SOURCES = ['src', 'schemas', 'workflows', 'activities', 'sandbox', 'bootstrap'];
/** Files that the compiled code reads. They have the same paths in the build as in the clone. */
const ASSETS = ['sql', path.join('test', 'sql', 'cases'), 'tidemark.example.yaml', 'package.json'];

/**
 * Compiles a clone if no build of exactly these sources exists. Each build has its own folder in
 * `node_modules/.cache/tidemark/`, named by the hash of its sources. So a new build never replaces the files of a
 * running process.
 *
 * @param {{ root: string, log?: (line: string) => void }} options
 * @returns {Promise<string>} the folder of the build, which contains `src/cli/cli.js`, `bundle/`, `sql/` and so on
 * @throws {Error} with the compiler's messages
 */
export async function ensureBuild({ root, log = (line) => void process.stderr.write(`${line}\n`) }) {
  const cache = path.join(root, 'node_modules', '.cache', 'tidemark');
  const folder = path.join(cache, `build-${hashOf(root)}`);
  if (touch(folder)) return folder;
  const onWait = (/** @type {string} */ holder) => log(`Tidemark is being compiled by ${holder}; waiting.`);
  return withLock(path.join(cache, 'build.lock'), { onWait }, async () => {
    if (touch(folder)) return folder; // the previous holder of the lock compiled the sources
    log('Compiling Tidemark (a few seconds, only after a change) …');
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    // Skip the type check, which `npm run typecheck` and `npm test` do. Compiling then takes a third of the time.
    await compile(root, partial, ['--noCheck', '--declaration', 'false']);
    // If a model is faulty, the command that reads it says so. Without these files, commands only start slower.
    await prepare(root, partial);
    // Without the bundle, too, commands only start slower.
    await bundleCommands(root, partial).catch(() =>
      rmSync(path.join(partial, 'bundle'), { recursive: true, force: true }),
    );
    renameSync(partial, folder);
    removeOldBuilds(cache);
    return folder;
  });
}

/**
 * Compiles the sources and copies the files that they read.
 *
 * @param {string} root
 * @param {string} folder created; must not exist
 * @param {readonly string[]} options further options of the TypeScript compiler
 * @throws {Error} with the compiler's messages
 */
export async function compile(root, folder, options = []) {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = path.join(root, 'tsconfig.build.json');
  const args = [tsc, '-p', project, '--outDir', folder, ...options];
  const { ok, tail, error } = await runProcess(process.execPath, args, { cwd: root, timeoutMs: COMPILE_LIMIT_MS });
  if (!ok) throw new Error(`Tidemark could not be compiled. ${error ?? ''}\n${tail}`.trim());
  for (const asset of ASSETS) cpSync(path.join(root, asset), path.join(folder, asset), { recursive: true });
}

/**
 * Lets the compiled code write the files that runs would have to make again (src/warehouse/models/prepare-build.ts).
 *
 * @param {string} root
 * @param {string} folder made by `compile`
 */
export function prepare(root, folder) {
  const script = path.join(folder, 'src', 'warehouse', 'models', 'prepare-build.js');
  return runProcess(process.execPath, [script], { cwd: root, timeoutMs: COMPILE_LIMIT_MS });
}

/**
 * Marks a build as used.
 *
 * @param {string} folder
 * @returns {boolean} whether the build exists
 */
function touch(folder) {
  if (!existsSync(folder)) return false;
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // The clone is read-only. Its builds cannot be marked as used, and they are never removed.
  }
  return true;
}

/** @param {string} root */
function hashOf(root) {
  const hash = createHash('sha256').update(process.version.replace(/\..*$/, ''));
  for (const place of [...SOURCES, ...ASSETS, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
    for (const file of filesOf(root, place))
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(root, file)))
        .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/**
 * @param {string} root
 * @param {string} place a file or folder
 * @returns {string[]} its files, relative to the root, sorted
 */
function filesOf(root, place) {
  const at = path.join(root, place);
  if (!statSync(at).isDirectory()) return [place];
  const entries = readdirSync(at, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** @param {string} cache */
function removeOldBuilds(cache) {
  for (const name of readdirSync(cache)) {
    const at = path.join(cache, name);
    if (name.startsWith('build-') && Date.now() - statSync(at).mtimeMs > KEEP_MS)
      rmSync(at, { recursive: true, force: true });
  }
}
