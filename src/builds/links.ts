import { symlinkSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../core/files.js';
import type { Lock } from '../core/lock.js';

/**
 * Points a symlink at another target atomically: a reader sees either the old target or the new one. Do not replace the
 * file itself: DuckDB could apply the old file's write-ahead log to the new file.
 * @throws LockLostError when the lock was lost; the link is unchanged
 */
export async function flipLink(lock: Lock, link: string, target: string): Promise<void> {
  lock.put(link, (temporary) => symlinkSync(target, temporary));
  await syncFolder(path.dirname(link));
}

/** Syncs a file's content to disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder and every folder below it to disk: names only, not the content of files. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(path.join(folder, entry.name));
  await syncFolder(folder);
}
