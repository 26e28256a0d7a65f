import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import { identityFile, unfinishedCopyFile } from './data-folder.js';
import { errorMessage, hasErrorCode, TidemarkError } from '../base/errors.js';
import { makeDataFolder } from './file-modes.js';
import { writeFileOnce } from './files.js';

/** Content of `folder.json` that Tidemark reads: the identity. */
export const FolderFile = z.looseObject({ id: z.uuid() });

const ABOUT =
  'Identity of this Tidemark data folder. Keep this file in backups and when you move the folder. Give an independent copy of the folder another id.';

/**
 * Creates the data folder, private to its owner. Gives the folder an identity if it has none. Workers that start at the
 * same time get the same identity.
 * @throws TidemarkError `InvalidConfig` when `folder.json` contains no identity, or after an unfinished copy
 */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  makeDataFolder(dataDir);
  refuseUnfinishedCopy(dataDir, dataDir);
  const found = readDataFolder(dataDir);
  if (found) return found;
  const identity = { id: randomUUID(), made_at: new Date().toISOString(), about: ABOUT };
  await writeFileOnce(identityFile(dataDir), `${JSON.stringify(identity, null, 2)}\n`);
  const made = readDataFolder(dataDir);
  if (made === null) throw noIdentity(dataDir, 'another process removed it right after it was written');
  return made;
}

/**
 * Reads the identity of a data folder.
 * @returns the identity; null when the folder has none, because no worker has used it yet
 * @throws TidemarkError `InvalidConfig` when `folder.json` contains no identity
 */
export function readDataFolder(dataDir: string): DataFolder | null {
  let text: string;
  try {
    text = readFileSync(identityFile(dataDir), 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw noIdentity(dataDir, errorMessage(error), error);
  }
  try {
    const { id } = FolderFile.parse(JSON.parse(text));
    return { id, path: path.resolve(dataDir), host: hostname() };
  } catch (error) {
    throw noIdentity(dataDir, 'it contains no valid id', error);
  }
}

/**
 * @param place folder or bucket, for the message
 * @throws TidemarkError `InvalidConfig` when `tidemark data copy` has not copied all data to this place yet
 */
export function refuseUnfinishedCopy(dataDir: string, place: string): void {
  if (!existsSync(unfinishedCopyFile(dataDir))) return;
  throw new TidemarkError('InvalidConfig', `A copy of the data to ${place} is not complete.`, {
    todo: 'Run the same `tidemark data copy` again. If it shows differences, resolve them first.',
  });
}

/** Describes a data folder for messages: its path, the host, and the start of its id. */
export function describeFolder({ id, path: where, host }: DataFolder): string {
  return `${where} on host ${host} (id ${shortId(id)})`;
}

/** Shortens a folder's id to 8 characters, enough to tell folders apart. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

function noIdentity(dataDir: string, why: string, cause?: unknown): TidemarkError {
  return new TidemarkError('InvalidConfig', `Cannot read ${identityFile(dataDir)}: ${why}.`, {
    todo: 'Check that this user may read the file. If it is damaged, restore it from a backup. Without a backup, delete it: the next worker gives the folder a new identity, and open runs fail.',
    cause,
  });
}
