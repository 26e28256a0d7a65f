import { existsSync } from 'node:fs';
import path from 'node:path';
import { identityFile, unfinishedCopyFile, workingCopyFile } from '../../store/data-folder.js';
import { FolderFile } from '../../store/folder-identity.js';
import { invalidInput, type TidemarkError } from '../../base/errors.js';
import type { Storage } from '../../store/storage.js';
import type { Versions } from '../../store/versions.js';

/** A place that holds data. Keys in its storage are paths in a data folder. */
export interface Place {
  storage: Storage;
  /** Absolute path, if the place is a data folder. */
  dataDir?: string | undefined;
  /** The published builds, if the place is a bucket. */
  builds?: Versions | undefined;
}

const IDENTITY = path.basename(identityFile(''));
const UNFINISHED = path.basename(unfinishedCopyFile(''));

/** Returns the identity of the data in a place; undefined if it holds none. */
export async function readIdentity({ storage }: Place): Promise<string | undefined> {
  return readId(storage, IDENTITY);
}

/** Returns the identity of the data that an unfinished copy brings to a place. */
export async function readUnfinished({ storage }: Place): Promise<string | undefined> {
  return readId(storage, UNFINISHED);
}

/** Marks a place as the target of a copy that is not complete. Until `markComplete`, workers refuse the place. */
export async function markUnfinished({ storage }: Place, id: string, from: string): Promise<void> {
  if ((await readId(storage, UNFINISHED)) !== undefined) return;
  const about = 'A copy to this place is not complete. Run `tidemark data copy` again.';
  await storage.create(UNFINISHED, Buffer.from(`${JSON.stringify({ id, from, about })}\n`));
}

/** Removes the mark of `markUnfinished`. */
export async function markComplete({ storage }: Place): Promise<void> {
  await storage.remove(UNFINISHED);
}

/** @throws TidemarkError `InvalidInput` if a folder is a working copy of a bucket */
export function refuseWorkingCopy({ dataDir }: Place): void {
  if (dataDir === undefined || !existsSync(workingCopyFile(dataDir))) return;
  throw invalidInput(
    `${dataDir} is a working copy of a bucket, and lacks most files.`,
    'Name the bucket as the source, or another folder as the target.',
  );
}

/** Makes the error for a source without data. */
export function noData({ storage }: Place): TidemarkError {
  const missing = `${storage.name}/${IDENTITY} is missing`;
  return invalidInput(`${storage.name} holds no data of Tidemark: ${missing}.`, 'Check the first place.');
}

async function readId(storage: Storage, key: string): Promise<string | undefined> {
  const found = await storage.read(key);
  if (found === undefined) return undefined;
  try {
    return FolderFile.parse(JSON.parse(found.body.toString('utf8'))).id;
  } catch {
    throw invalidInput(`${storage.name}: ${key} contains no valid id.`, 'Restore the file from a backup.');
  }
}
