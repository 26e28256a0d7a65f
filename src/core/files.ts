import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage, hasErrorCode, TidemarkError } from './errors.js';

/**
 * Writes a file so that it exists whole or not at all, also over a power cut: temporary name, fsync, rename, fsync of
 * the folder.
 * @param mode who may read it; default its owner alone
 * @throws TidemarkError `DiskFull` when there is no room; the target is untouched then
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await withTemporary(file, content, mode, (temporary) => rename(temporary, file));
}

/**
 * Writes a file as `writeFileAtomic` does, but never over one that is there: of several who write it, the first stands.
 * @returns whether this call made the file
 * @throws TidemarkError `DiskFull` when there is no room
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

/** Puts content that is safely on disk under its name by `place`, and makes the name durable. */
async function withTemporary(
  file: string,
  content: string | Uint8Array,
  mode: number,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const folder = path.dirname(file);
  // Workers in containers share a folder and may have the same process id.
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

/** Makes a folder, and those above it that are missing, so that their names survive a power cut. */
export async function makeFolder(folder: string): Promise<void> {
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) await syncPath(path.dirname(path.resolve(folder)), path.dirname(first));
}

/** Makes durable the entries of `folder` and of each folder above it, up to and including `top`. */
export async function syncPath(folder: string, top: string): Promise<void> {
  await syncFolder(folder);
  const above = path.dirname(folder);
  if (path.relative(top, folder) !== '' && above !== folder) await syncPath(above, top);
}

/** Makes a rename in this folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Full, the owner's quota, and the largest file that the system or `ulimit -f` allows.
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** No room for a file, as a TidemarkError that says what to do; anything else unchanged. */
export function asDiskFull(error: unknown, file: string): unknown {
  if (!NO_ROOM.some((code) => hasErrorCode(error, code))) return error;
  return new TidemarkError('DiskFull', `No space left to write ${file}: ${errorMessage(error)}`, {
    todo: 'Free space on that disk or move the data folder (TIDEMARK_DATA). Nothing that was landed is lost; the run goes on by itself.',
    retryable: true,
    cause: error,
  });
}
