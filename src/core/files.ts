import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage, hasErrorCode, TidemarkError } from './errors.js';

/**
 * Writes a file completely or not at all, even if the power fails. Writes under a temporary name, syncs, renames, and
 * syncs the folder.
 * @param mode permissions; default 0600, only for the owner
 * @throws TidemarkError `DiskFull` when there is no space; the target is then unchanged
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await withTemporary(file, content, mode, (temporary) => rename(temporary, file));
}

/**
 * Writes a file as `writeFileAtomic` does, but never overwrites a file. If several processes write the same file, only
 * the first one succeeds.
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
 * Writes the content to a temporary file and syncs the file. Then calls `place`, which must give the file its final
 * name. Then syncs the folder.
 */
async function withTemporary(
  file: string,
  content: string | Uint8Array,
  mode: number,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const folder = path.dirname(file);
  // Add random characters: workers in containers may share a folder and have the same process id.
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

/** Creates a folder and its missing parent folders. Syncs them, so that they still exist after a power failure. */
export async function makeFolder(folder: string): Promise<void> {
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) await syncPath(path.dirname(path.resolve(folder)), path.dirname(first));
}

/** Syncs `folder` and each folder above it, up to and including `top`. */
export async function syncPath(folder: string, top: string): Promise<void> {
  await syncFolder(folder);
  const above = path.dirname(folder);
  if (path.relative(top, folder) !== '' && above !== folder) await syncPath(above, top);
}

/** Syncs a folder, so that renames in it are kept if the power fails. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Error codes that mean: the disk is full, the disk quota is used up, or the file exceeds a size limit (`ulimit -f`,
// file system).
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Converts a "no space" error to a TidemarkError `DiskFull`. Returns any other error unchanged. */
export function asDiskFull(error: unknown, file: string): unknown {
  if (!NO_ROOM.some((code) => hasErrorCode(error, code))) return error;
  return new TidemarkError('DiskFull', `No space left to write ${file}: ${errorMessage(error)}`, {
    todo: 'Free space on that disk or move the data folder (TIDEMARK_DATA). No landed data is lost. An open run continues by itself; repeat a command.',
    retryable: true,
    cause: error,
  });
}
