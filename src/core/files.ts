import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage, hasErrorCode, TidemarkError } from './errors.js';

/**
 * Writes a file completely or not at all, even across a power cut. Steps: temporary name, fsync, rename, fsync of the
 * folder.
 * @param mode permissions; default 0600, only for the owner
 * @throws TidemarkError `DiskFull` when there is no space; the target is then unchanged
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await withTemporary(file, content, mode, (temporary) => rename(temporary, file));
}

/**
 * Writes a file as `writeFileAtomic` does, but never overwrites: the first of several writers wins.
 * @returns whether this call created the file
 * @throws TidemarkError `DiskFull` when there is no space
 */
export async function writeFileOnce(file: string, content: string | Uint8Array, mode = 0o600): Promise<boolean> {
  let made = true;
  await withTemporary(file, content, mode, async (temporary) => {
    try {
      await link(temporary, file);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
      made = false;
    }
    await unlink(temporary);
  });
  return made;
}

/**
 * Writes the content to a temporary file and syncs the file. Then `place` gives the file its final name, and the folder
 * is synced.
 */
async function withTemporary(
  file: string,
  content: string | Uint8Array,
  mode: number,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const folder = path.dirname(file);
  // Workers in containers share a folder and may have the same process id, so add random characters.
  const temporary = path.join(folder, `.${path.basename(file)}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await makeFolder(folder);
    const handle = await open(temporary, 'w', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(temporary);
    await syncFolder(folder);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw asDiskFull(error, file);
  }
}

/** Creates a folder and its missing parents so that their names survive a power cut. */
export async function makeFolder(folder: string): Promise<void> {
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) await syncPath(path.dirname(path.resolve(folder)), path.dirname(first));
}

/** Syncs the entries of `folder` and of each parent, up to and including `top`. */
export async function syncPath(folder: string, top: string): Promise<void> {
  await syncFolder(folder);
  const above = path.dirname(folder);
  if (path.relative(top, folder) !== '' && above !== folder) await syncPath(above, top);
}

/** Syncs a folder, so that renames inside survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Error codes for a full disk, a used-up disk quota, or a file above a size limit (`ulimit -f`, file system).
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Converts a "no space" error to a TidemarkError `DiskFull`. Returns any other error unchanged. */
export function asDiskFull(error: unknown, file: string): unknown {
  if (!NO_ROOM.some((code) => hasErrorCode(error, code))) return error;
  return new TidemarkError('DiskFull', `No space left to write ${file}: ${errorMessage(error)}`, {
    todo: 'Free space on that disk or move the data folder (TIDEMARK_DATA). No landed data is lost; the run continues by itself.',
    retryable: true,
    cause: error,
  });
}
