import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { publishedDir } from './data-folder.js';
import { errorMessage, TidemarkError } from '../base/errors.js';
import { asDiskError } from './disk-errors.js';
import { makeFolderSync } from './files.js';

/*
 * Sets file permissions. Answers of the API contain personal data, so only the owner may read the data folder. Files
 * have the mode 0600 and folders 0700, even if the umask of the user's shell allows more. If the configuration sets
 * `readers`, other users may read `data/published`.
 */

/** Who on this machine may read `data/published`. */
export type Readers = 'owner' | 'group' | 'everyone';

/** Permission bits of readers: for folders. Files have only those to read (4), and folders on the way only those to enter (1). */
const READER_BITS: Record<Readers, number> = { owner: 0, group: 0o050, everyone: 0o055 };

let personsMask: number | undefined;

/**
 * Makes all new files of this process and of its child processes private, including files of DuckDB and Temporal. The
 * command line calls this function first.
 */
export function keepFilesPrivate(): void {
  personsMask ??= process.umask(0o077);
}

/**
 * Gives a file the permissions that the user's shell gives to new files. Use it for output files that the user named.
 */
export function useOrdinaryMode(file: string): void {
  if (personsMask !== undefined) chmodSync(file, 0o666 & ~personsMask);
}

/** Creates a folder that the user named, and missing folders above it, with the permissions of the user's shell. */
export function makeOrdinaryFolder(folder: string): void {
  const first = makeFolderSync(folder);
  if (first === undefined || personsMask === undefined) return;
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) chmodSync(made, 0o777 & ~personsMask);
}

/**
 * Creates the data folder. If folders in it are open to other users, makes them private again, except `published`.
 * Another program may have opened them.
 * @throws TidemarkError `InvalidInput` if the folder cannot be created; `DiskFull`; `DiskUnusable`
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolderSync(dataDir, 0o700);
  } catch (error) {
    const known = asDiskError(error, dataDir);
    if (known instanceof TidemarkError && known.type === 'DiskFull') throw known;
    throw new TidemarkError('InvalidInput', `The data folder cannot be created: ${errorMessage(error)}.`, {
      todo: 'Name a folder that this user may create. In a container, name one in a volume, such as /data/back.',
      cause: error,
    });
  }
  try {
    for (const name of openFolders(dataDir)) chmodSync(path.join(dataDir, name), 0o700);
  } catch (error) {
    throw asDiskError(error);
  }
}

/** Lists the folders in the data folder on which other users have any permission, except `published`. */
export function openFolders(dataDir: string): string[] {
  if (!existsSync(dataDir) || process.platform === 'win32') return [];
  const published = path.basename(publishedDir(dataDir));
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== published)
    .filter(({ name }) => isOpen(path.join(dataDir, name)))
    .map(({ name }) => name);
}

/** Whether other users have any permission on a file or folder. */
export function isOpen(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

/**
 * Lets `readers` read a new build.
 * - Sets the permissions of `entries`. Files become read-only, because a DuckDB client opens a file for writing by
 *   default.
 * - Adds permissions to `builds` and to the folders above it, up to the data folder. Never removes a permission from
 *   these folders.
 */
export function shareWith(readers: Readers, dataDir: string, builds: string, entries: readonly string[]): void {
  const bits = READER_BITS[readers];
  for (const entry of entries) setModes(entry, bits);
  if (readers === 'owner') return;
  addBits(dataDir, bits & 0o111);
  for (let folder = builds; folder !== dataDir; folder = path.dirname(folder)) addBits(folder, bits);
}

function setModes(entry: string, bits: number): void {
  if (!statSync(entry).isDirectory()) return chmodSync(entry, 0o400 | (bits & 0o444));
  chmodSync(entry, 0o700 | bits);
  for (const name of readdirSync(entry)) setModes(path.join(entry, name), bits);
}

function addBits(folder: string, bits: number): void {
  chmodSync(folder, (statSync(folder).mode & 0o7777) | bits);
}
