import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/*
 * Who may read what Tidemark writes. Bodies of the API hold personal data, so that everything under the data folder is
 * its owner's alone (files 0600, folders 0700) whatever the umask of the shell; `data/published` is opened to others
 * where the configuration's `readers` says so.
 */

/** Who on this machine may read `data/published`. */
export type Readers = 'owner' | 'group' | 'everyone';

const FOLDER_BITS: Record<Readers, number> = { owner: 0, group: 0o050, everyone: 0o055 };
const FILE_BITS: Record<Readers, number> = { owner: 0, group: 0o040, everyone: 0o044 };
/** To go through the data folder without listing it. */
const PASS_BITS: Record<Readers, number> = { owner: 0, group: 0o010, everyone: 0o011 };

let personsMask: number | undefined;

/**
 * Makes every file this process and its children create private, DuckDB's and Temporal's own too. Called once, first
 * of all, by the command line.
 */
export function keepFilesPrivate(): void {
  personsMask ??= process.umask(0o077);
}

/** Gives a file that a person asked for by name the mode their shell would give it. */
export function useOrdinaryMode(file: string): void {
  if (personsMask !== undefined) chmodSync(file, 0o666 & ~personsMask);
}

/**
 * Makes the data folder, and closes what lies in it: folders that an older version or another program left open. What is
 * published is left alone.
 */
export function makeDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (const name of openFolders(dataDir)) chmodSync(path.join(dataDir, name), 0o700);
}

/** Names of the folders in the data folder, `published` apart, that others than their owner may enter or list. */
export function openFolders(dataDir: string): string[] {
  if (!existsSync(dataDir) || process.platform === 'win32') return [];
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'published')
    .filter(({ name }) => isOpen(path.join(dataDir, name)))
    .map(({ name }) => name);
}

/** Whether group or others may do anything with a file or folder. */
export function isOpen(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
}

/**
 * Lets `readers` read what was just built, and nobody write it (a DuckDB client opens a file for writing unless told
 * otherwise): the files and folders of `builds` in `entries`, and the way there from the data
 * folder. Bits are added to that way, never taken.
 */
export function shareWith(readers: Readers, dataDir: string, builds: string, entries: readonly string[]): void {
  for (const entry of entries) setModes(entry, readers);
  if (readers === 'owner') return;
  addBits(dataDir, PASS_BITS[readers]);
  for (let folder = builds; folder !== dataDir; folder = path.dirname(folder)) addBits(folder, FOLDER_BITS[readers]);
}

function setModes(entry: string, readers: Readers): void {
  if (!statSync(entry).isDirectory()) return chmodSync(entry, 0o400 | FILE_BITS[readers]);
  chmodSync(entry, 0o700 | FOLDER_BITS[readers]);
  for (const name of readdirSync(entry)) setModes(path.join(entry, name), readers);
}

function addBits(folder: string, bits: number): void {
  chmodSync(folder, (statSync(folder).mode & 0o7777) | bits);
}
