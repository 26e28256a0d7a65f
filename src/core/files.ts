import { mkdirSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage, hasErrorCode, TidemarkError } from './errors.js';

/**
 * Writes a file so that it exists whole or not at all, also over a power cut: temporary name, fsync, rename, fsync of
 * the folder.
 * @param mode who may read it; default its owner alone
 * @throws TidemarkError `DiskFull` when there is no room; the target is untouched then
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true });
  const temporary = path.join(folder, `.${path.basename(file)}.${process.pid}.${counter++}.tmp`);
  try {
    const handle = await open(temporary, 'w', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await syncFolder(folder);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw asDiskFull(error, file);
  }
}

let counter = 0;

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
