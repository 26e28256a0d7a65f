import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import {
  forgottenFile,
  identityFile,
  payeeSaltFile,
  personalDataKeyFile,
  unfinishedCopyFile,
  webhookSecretFile,
} from '../data-folder.js';
import { OwnFolder, type Data } from '../data.js';
import { makeDataFolder } from '../file-modes.js';
import { openDataFolder, refuseUnfinishedCopy } from '../folder-identity.js';
import { openStorage, type ReachSettings } from '../open.js';
import { WorkingCopy } from './working-copy.js';

/** Where all data is. */
export interface DataSettings {
  /** The data folder; the working copy if the data is in a bucket. */
  dataDir: string;
  /** The bucket (`s3://bucket/prefix`) that holds the data; undefined if the folder holds it. */
  bucket?: string | undefined;
  /** How to reach the bucket. */
  storage: ReachSettings;
}

const SECRET_BYTES = 32;

/**
 * Opens the data of this machine. With a bucket, sends no request yet.
 * @throws TidemarkError `InvalidConfig` without credentials, or when the folder is the working copy of other data
 */
export async function openData({ bucket, storage, dataDir }: DataSettings): Promise<Data> {
  if (bucket === undefined) return new OwnFolder(dataDir);
  makeDataFolder(dataDir);
  return WorkingCopy.open(openStorage(bucket, storage), dataDir);
}

/**
 * Prepares the working copy of a machine that takes part in the work: takes the identity of the data and its secrets.
 * Does nothing if the data is in a folder.
 * @throws TidemarkError `InvalidConfig`; StorageError
 */
export async function joinData(data: Data): Promise<void> {
  if (!data.isShared()) return;
  const { dataDir } = data;
  await data.refresh(unfinishedCopyFile(dataDir));
  refuseUnfinishedCopy(dataDir, data.storage.name);
  const identity = identityFile(dataDir);
  if (!(await data.refresh(identity))) {
    await openDataFolder(dataDir);
    await data.claim(identity, readFileSync(identity));
  }
  for (const file of [personalDataKeyFile(dataDir), payeeSaltFile(dataDir)]) await data.take(file);
  for (const file of [forgottenFile(dataDir), webhookSecretFile(dataDir)]) await data.refresh(file);
}

/** Makes a file with a random secret (32 bytes in hex), unless there is one. It is the same on all machines. */
export async function shareSecret(data: Data, file: string): Promise<void> {
  if (existsSync(file) || (await data.refresh(file))) return;
  await data.claim(file, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
}
