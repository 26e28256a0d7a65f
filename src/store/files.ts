import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { link, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { asDiskError } from './disk-errors.js';
import { hasErrorCode } from '../base/errors.js';

/**
 * Writes a file completely or not at all, even if the power fails. Writes under a temporary name, syncs, renames, and
 * syncs the folder. Only the owner may read and write the file.
 * @throws TidemarkError `DiskFull` or `DiskUnusable`; the target is then unchanged
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array): Promise<void> {
  await placeFile(file, (temporary) => writeSynced(temporary, content));
}

/**
 * Writes a file as `writeFileAtomic` does, but never overwrites a file. If several processes write the same file, only
 * the first one succeeds.
 * @returns whether this call created the file
 * @throws TidemarkError `DiskFull` or `DiskUnusable`
 */
export async function writeFileOnce(file: string, content: string | Uint8Array): Promise<boolean> {
  let made = true;
  const linkOnce = async (temporary: string): Promise<void> => {
    try {
      await link(temporary, file);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
      made = false;
    }
    await unlink(temporary);
  };
  await placeFile(file, (temporary) => writeSynced(temporary, content), linkOnce);
  return made;
}

/**
 * Lets `write` write and sync a temporary file. Then calls `place`, which must give the file its final name: by default,
 * renames it. Then syncs the folder. After a failure, there is no new file.
 * @returns what `write` returns
 * @throws TidemarkError `DiskFull` or `DiskUnusable`; the errors of `write`
 */
export async function placeFile<T>(
  file: string,
  write: (temporary: string) => Promise<T>,
  place: (temporary: string) => Promise<void> = (temporary) => rename(temporary, file),
): Promise<T> {
  const folder = path.dirname(file);
  // Add random characters: workers in containers may share a folder and have the same process id.
  const temporary = path.join(folder, `.${path.basename(file)}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await makeFolder(folder);
    const written = await write(temporary);
    await place(temporary);
    await syncFolder(folder);
    return written;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw asDiskError(error, file);
  }
}

async function writeSynced(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and its missing parent folders. Syncs them, so that they still exist after a power failure. */
export async function makeFolder(folder: string): Promise<void> {
  const first = makeFolderSync(folder);
  if (first !== undefined) await syncPath(path.dirname(path.resolve(folder)), path.dirname(first));
}

/**
 * Creates a folder and its missing parent folders. Does not use the option `recursive` of Node: on a read-only file
 * system, Node then reports a missing folder (ENOENT) instead of the cause.
 * @param mode permissions of created folders
 * @returns the topmost created folder; undefined if the folder exists
 * @throws the error of the system, such as `EROFS`
 */
export function makeFolderSync(folder: string, mode = 0o777): string | undefined {
  if (isFolder(folder)) return undefined;
  const above = path.dirname(folder);
  const first = above === folder ? undefined : makeFolderSync(above, mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error;
  }
  return first ?? folder;
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
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

/** Syncs the content of a file to disk. The system call is the same as for a folder. */
export async function syncFile(file: string): Promise<void> {
  await syncFolder(file);
}

/**
 * Syncs a folder, and every folder in it, to disk. Syncs only the names of files, not their content. Syncs several folders
 * at once: one write to the disk then serves them all.
 */
export async function syncFolders(folder: string): Promise<void> {
  const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  await Promise.all(folders.map(({ name }) => syncFolders(path.join(folder, name))));
  await syncFolder(folder);
}

/** Reads a JSON file. Undefined if it is missing, incomplete, or does not match the schema. */
export function tryReadJson<T>(file: string, schema: { parse: (content: unknown) => T }): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Reads bytes of an open file. Returns fewer than `length` only at the end of the file. */
export function readBytes(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  return readInto(Buffer.alloc(length), handle, start);
}

/** As `readBytes`, with a buffer to fill. Returns the filled part of the buffer. */
export async function readInto(buffer: Buffer, handle: FileHandle, start: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Returns the sorted names in a folder that begin with a prefix; none if there is no folder. */
export function namesIn(folder: string, prefix = ''): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .toSorted();
}
