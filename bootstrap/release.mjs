import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { projectRoot } from './packages.mjs';

// `node bootstrap/release.mjs [--tag v1.2.3]` checks that the clone is ready for a release. Then it writes to release/:
// the package, a bill of materials (SBOM, CycloneDX), the notes of the version, and checksums. It publishes nothing.

/**
 * Finds what is wrong with a release. Pure function.
 *
 * @param {object} release
 * @param {string} release.version version in package.json
 * @param {string | undefined} release.locked version in package-lock.json
 * @param {string} release.changelog text of CHANGELOG.md
 * @param {string | undefined} release.tag tag of the release; undefined: not checked
 * @param {string} release.changes output of `git status --porcelain`
 * @returns {string[]} one sentence per fault
 */
export function findFaults({ version, locked, changelog, tag, changes }) {
  const faults = [];
  if (locked !== version)
    faults.push(`package-lock.json has version ${locked ?? '(none)'}, package.json has ${version}.`);
  if (tag !== undefined && tag !== `v${version}`)
    faults.push(`The tag is ${tag}, but package.json has version ${version}.`);
  if (changes !== '') faults.push(`There are changes without a commit:\n${changes.trimEnd()}`);
  if (notesOf(changelog, version) === '')
    faults.push(`CHANGELOG.md has no entries under "## [${version}] - YYYY-MM-DD".`);
  if (notesOf(changelog, 'Unreleased') !== '')
    faults.push(`CHANGELOG.md has entries under "## [Unreleased]". Move them to version ${version}.`);
  return faults;
}

/**
 * Returns the entries of one version, without its heading. Pure function.
 *
 * @param {string} changelog
 * @param {string} version a version with a date, or `Unreleased`
 * @returns {string} '' if there are none
 */
export function notesOf(changelog, version) {
  const lines = changelog.split('\n');
  const isHeading = (/** @type {string} */ line) =>
    version === 'Unreleased' ? line === '## [Unreleased]' : line.startsWith(`## [${version}] - `);
  const start = lines.findIndex(isHeading);
  if (start === -1) return '';
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim();
}

/** @param {string | undefined} tag */
function release(tag) {
  const root = projectRoot();
  const read = (/** @type {string} */ file) => readFileSync(path.join(root, file), 'utf8');
  const run = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6, stdio: ['ignore', 'pipe', 'inherit'] });
  const { name, version } = JSON.parse(read('package.json'));
  const changelog = read('CHANGELOG.md');
  const locked = JSON.parse(read('package-lock.json')).packages['']?.version;
  const changes = run('git', 'status', '--porcelain');
  const faults = findFaults({ version, locked, changelog, tag, changes });
  if (faults.length > 0) throw new Error(`Not ready for a release:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);

  const folder = path.join(root, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const write = (/** @type {string} */ file, /** @type {string} */ text) =>
    writeFileSync(path.join(folder, file), text);
  write('NOTES.md', `${notesOf(changelog, version)}\n`);
  const bill = JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'));
  // npm writes the name of the folder here.
  bill.metadata.component.name = name;
  write(`${name}-${version}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`);
  run('npm', 'pack', '--pack-destination', folder);
  const files = readdirSync(folder).sort();
  const sum = (/** @type {string} */ file) =>
    createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex');
  write('SHA256SUMS', files.map((file) => `${sum(file)}  ${file}\n`).join(''));
  console.log(`Version ${version} is ready in release/: ${files.join(', ')}, SHA256SUMS`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    release(parseArgs({ options: { tag: { type: 'string' } } }).values.tag);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
