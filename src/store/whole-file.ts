import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { asDiskError } from './disk-errors.js';
import { makeFolder, syncFolder } from './files.js';
import { storageError } from './errors.js';
import type { Content } from './storage.js';

/**
 * Writes a file with a temporary name, and gives it its name when it is complete. After a failure, there is no new file.
 * @param write writes and syncs the temporary file; returns what it wrote
 * @param check sees size and hash before the file gets its name
 */
export async function writeWhole(
  file: string,
  write: (temporary: string) => Promise<Content>,
  check: (found: Content) => void = () => undefined,
): Promise<Content> {
  await makeFolder(path.dirname(file));
  const folder = await mkdtemp(path.join(path.dirname(file), '.new-'));
  try {
    const temporary = path.join(folder, 'body');
    const found = await write(temporary);
    check(found);
    await rename(temporary, file);
    await syncFolder(path.dirname(file));
    return found;
  } catch (error) {
    throw asDiskError(error, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws StorageError `damaged` if a downloaded file has another size or hash than expected */
export function checkContent(
  found: Content,
  expected: Content | undefined,
  storage: { readonly name: string },
  key: string,
): void {
  if (expected === undefined || (found.bytes === expected.bytes && found.sha256 === expected.sha256)) return;
  throw storageError('damaged', storage, key, describeDamage(found, expected));
}

/** Describes what is wrong with a downloaded file, as the end of a sentence. */
function describeDamage(found: Content, expected: Content): string {
  return found.bytes === expected.bytes
    ? `has the hash ${found.sha256}, not ${expected.sha256}`
    : `has ${found.bytes} bytes, not ${expected.bytes}`;
}
