import { symlinkSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../core/files.js';
import type { Lock } from '../core/lock.js';

/**
 * Points a symlink at another target in one step: whoever opens it sees the old target or the new one. Renaming a file
 * over the old one instead would let a write-ahead log left beside it poison the new file.
 * @throws LockLostError and the link is as it was
 */
export async function flipLink(lock: Lock, link: string, target: string): Promise<void> {
  lock.put(link, (temporary) => symlinkSync(target, temporary));
  await syncFolder(path.dirname(link));
}

/** Makes a file's content durable. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes durable which entries a folder, and each folder below it, has; not what is in its files. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(path.join(folder, entry.name));
  await syncFolder(folder);
}
