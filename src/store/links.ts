import { symlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './files.js';
import type { Lock } from './lock/lock.js';

/**
 * Points a symlink at another target in one step: a reader sees either the old target or the new one. The file itself
 * must not be replaced, because DuckDB could apply the old file's write-ahead log to the new file.
 * @throws LockLostError when the lock was lost; the link is unchanged
 */
export async function flipLink(lock: Lock, link: string, target: string): Promise<void> {
  lock.put(link, (temporary) => symlinkSync(target, temporary));
  await syncFolder(path.dirname(link));
}

/** Syncs the content of a file to disk. The system call is the same as for a folder. */
export const syncFile = syncFolder;

/** Syncs a folder, and every folder in it, to disk. Syncs only the names of files, not their content. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(path.join(folder, entry.name));
  await syncFolder(folder);
}
