import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  forgottenFile,
  identityFile,
  payeeSaltFile,
  personalDataKeyFile,
  unfinishedCopyFile,
  webhookSecretFile,
} from '../data-folder.js';
import { makeDataFolder } from '../file-modes.js';
import { writeFileOnce } from '../files.js';
import { openDataFolder, refuseUnfinishedCopy } from '../folder-identity.js';
import { openStorage, type ReachSettings } from '../open.js';
import { WorkingCopy } from './working-copy.js';

/** Where all data is. */
export interface Data {
  /** The data folder; the working copy if the data is in a bucket. */
  dataDir: string;
  /** The bucket (`s3://bucket/prefix`) that holds the data; undefined if the folder holds it. */
  bucket?: string | undefined;
  /** How to reach the bucket. */
  storage: ReachSettings;
}

const SECRET_BYTES = 32;

/** The working copies that this process has open, by data folder. */
const opened = new Map<string, WorkingCopy>();

/**
 * Opens the working copy if the configuration keeps the data in a bucket. After that, `workingCopyOf` returns it.
 * @returns undefined if the data is in a folder
 * @throws TidemarkError `InvalidConfig` without credentials, or when the folder is the working copy of other data
 */
export async function openWorkingCopy({ bucket, storage, dataDir }: Data): Promise<WorkingCopy | undefined> {
  if (bucket === undefined) return undefined;
  const known = opened.get(dataDir);
  if (known !== undefined) return known;
  makeDataFolder(dataDir);
  const copy = await WorkingCopy.open(openStorage(bucket, storage), dataDir);
  opened.set(dataDir, copy);
  return copy;
}

/** Returns the working copy in a data folder; undefined if the folder itself holds the data. */
export function workingCopyOf(dataDir: string): WorkingCopy | undefined {
  return opened.get(dataDir);
}

/**
 * Opens the working copy of a machine that takes part in the work: takes the identity of the data and its secrets.
 * Does nothing if the data is in a folder.
 * @throws TidemarkError `InvalidConfig`; StorageError
 */
export async function joinData(data: Data): Promise<WorkingCopy | undefined> {
  const copy = await openWorkingCopy(data);
  if (copy === undefined) return undefined;
  const { dataDir } = copy;
  await copy.refresh(unfinishedCopyFile(dataDir));
  refuseUnfinishedCopy(dataDir, copy.storage.name);
  const identity = identityFile(dataDir);
  if (!(await copy.refresh(identity))) {
    await openDataFolder(dataDir);
    await copy.claim(identity);
  }
  for (const file of [personalDataKeyFile(dataDir), payeeSaltFile(dataDir)]) await copy.takeAgain(file);
  for (const file of [forgottenFile(dataDir), webhookSecretFile(dataDir)]) await copy.refresh(file);
  return copy;
}

/** Makes a file with a random secret (32 bytes in hex), unless there is one. It is the same on all machines. */
export async function shareSecret(dataDir: string, file: string): Promise<void> {
  const copy = workingCopyOf(dataDir);
  if (existsSync(file) || (await copy?.refresh(file)) === true) return;
  await writeFileOnce(file, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
  await copy?.claim(file);
}
