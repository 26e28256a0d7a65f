import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './packages.mjs';

// Run `node bootstrap/complete-lockfile.mjs` after `npm install` has changed package-lock.json.
//
// A registry mirror may lack the binaries for other platforms. npm then silently omits them from the lockfile. Without
// these entries, `npm ci` fails on every machine, because the lockfile does not match package.json.
//
// This script adds the missing entries. The package that needs a binary names its exact version. The integrity hashes
// of these entries stay unknown.

/**
 * One entry in `packages` of package-lock.json, with only the fields that this script uses.
 *
 * @typedef {{
 *   version?: string, dev?: boolean, optional?: boolean, integrity?: string, os?: string[], cpu?: string[],
 *   libc?: string[], optionalDependencies?: Record<string, string>
 * }} Entry
 */

/**
 * Adds the platform packages that other packages name but the lockfile lacks.
 *
 * @param {Record<string, Entry>} packages `packages` of package-lock.json
 * @returns {Record<string, Entry>} a complete copy in npm's order
 */
export function completePackages(packages) {
  const complete = { ...packages };
  for (const [parent, name, version] of findMissing(packages)) {
    const top = `node_modules/${name}`;
    const place = complete[top] === undefined || complete[top].version === version ? top : `${parent}/${top}`;
    const dev = packages[parent]?.dev === true;
    complete[place] = { version, ...platformOf(name), ...(dev ? { dev } : {}), optional: true };
  }
  return Object.fromEntries(Object.entries(complete).toSorted(([a], [b]) => a.localeCompare(b, 'en')));
}

/**
 * Finds optional dependencies without a matching entry.
 *
 * @param {Record<string, Entry>} packages `packages` of package-lock.json
 * @returns {[parent: string, name: string, version: string][]}
 */
export function findMissing(packages) {
  return Object.entries(packages).flatMap(([parent, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name, version]) => {
        const found = nearest(packages, parent, name)?.version;
        return found === undefined || (/^\d/.test(version) && found !== version);
      })
      .map(([name, version]) => /** @type {[string, string, string]} */ ([parent, name, version])),
  );
}

/**
 * Finds the entry that Node would load for `name`: looks in `parent` first, then in the folders above it.
 *
 * @param {Record<string, Entry>} packages
 * @param {string} parent such as `node_modules/a/node_modules/b`
 * @param {string} name
 */
function nearest(packages, parent, name) {
  const parts = parent.split('/node_modules/');
  const folders = parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/`);
  return [...folders, '']
    .map((folder) => packages[`${folder}node_modules/${name}`])
    .find((entry) => entry !== undefined);
}

/**
 * Reads the platform of a package from its name: `@rollup/rollup-linux-arm64-musl`, `@oxlint-tsgolint/darwin-x64`.
 *
 * @param {string} name
 * @returns {{ cpu: string[], os: string[], libc?: string[] }}
 * @throws {Error} when the name does not end in a platform
 */
export function platformOf(name) {
  const match =
    /(android|darwin|freebsd|linux|openbsd|netbsd|openharmony|sunos|aix|win32)-([a-z0-9]+)(?:-([a-z0-9]+))?$/.exec(
      name,
    );
  const [os, cpu, abi] = match?.slice(1) ?? [];
  if (os === undefined || cpu === undefined)
    throw new Error(
      `The name of the package ${name} contains no known platform. Add its entry to package-lock.json by hand.`,
    );
  const libc = abi?.startsWith('musl') ? 'musl' : abi?.startsWith('gnu') ? 'glibc' : undefined;
  return { cpu: [cpu], os: [os], ...(libc && os === 'linux' ? { libc: [libc] } : {}) };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = path.join(projectRoot(), 'package-lock.json');
  const lockfile = JSON.parse(readFileSync(file, 'utf8'));
  const missing = findMissing(lockfile.packages);
  writeFileSync(file, `${JSON.stringify({ ...lockfile, packages: completePackages(lockfile.packages) }, null, 2)}\n`);
  console.log(
    missing.length === 0 ? 'The lockfile is complete.' : `Added ${missing.map(([, name]) => name).join(', ')}`,
  );
}
