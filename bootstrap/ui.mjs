import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { projectRoot } from './packages.mjs';
import { runProcess } from './run-process.mjs';

const BUILD_LIMIT_MS = 5 * 60_000;
/** Files from which the front-end of the explorer is built. */
const SOURCES = ['ui', 'schemas'];

/**
 * Returns the folder of the built front-end of `tidemark ui`. A package contains it. In a clone, builds it if no build of
 * exactly these sources exists.
 *
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string>} a folder with `index.html`, and with the program that renders `tidemark report`
 * @throws {Error} with the output of Vite
 */
export async function findUi({ log = (line) => void process.stderr.write(`${line}\n`) } = {}) {
  // Compiled code is in dist/ of a package, or in node_modules/.cache/tidemark/<build>/ of a clone.
  const here = projectRoot();
  const packaged = path.join(here, 'ui');
  if (existsSync(path.join(packaged, 'index.html')) && !existsSync(path.join(packaged, 'vite.config.ts')))
    return packaged;
  const clone = [here, path.resolve(here, '..', '..', '..', '..')].find((root) =>
    existsSync(path.join(root, 'ui', 'vite.config.ts')),
  );
  if (clone === undefined) throw new Error('This installation of Tidemark lacks the explorer. Install it again.');
  return ensureUi({ root: clone, log });
}

/**
 * @param {{ root: string, log: (line: string) => void }} options
 * @returns {Promise<string>} the folder of the build
 */
async function ensureUi({ root, log }) {
  const cache = path.join(root, 'node_modules', '.cache', 'tidemark');
  const folder = path.join(cache, `build-ui-${hashOf(root)}`);
  if (existsSync(folder)) return folder;
  const onWait = (/** @type {string} */ holder) => log(`The explorer is being built by ${holder}; waiting.`);
  return withLock(path.join(cache, 'ui.lock'), { onWait }, async () => {
    if (existsSync(folder)) return folder; // the previous holder of the lock built it
    log('Building the explorer (some seconds, only after a change) …');
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    await buildUi(root, partial);
    renameSync(partial, folder);
    return folder;
  });
}

/**
 * Builds the front-end with Vite.
 *
 * @param {string} root
 * @param {string} folder gets the result
 * @throws {Error} with the output of Vite
 */
async function buildUi(root, folder) {
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  // The second build adds the program that renders `tidemark report` from the same views.
  for (const config of ['vite.config.ts', 'vite.report.config.ts']) {
    const args = [vite, 'build', path.join(root, 'ui'), '--config', path.join(root, 'ui', config), '--outDir', folder];
    const { ok, tail, error } = await runProcess(process.execPath, [...args, '--logLevel', 'error'], {
      cwd: root,
      timeoutMs: BUILD_LIMIT_MS,
    });
    if (!ok) throw new Error(`The explorer could not be built. ${error ?? ''}\n${tail}`.trim());
  }
}

/** @param {string} root */
function hashOf(root) {
  const hash = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')));
  for (const place of SOURCES) {
    const entries = readdirSync(path.join(root, place), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    for (const file of files.sort()) {
      hash
        .update(`${path.relative(root, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
    }
  }
  return hash.digest('hex').slice(0, 16);
}
