import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { TidemarkError } from '../base/errors.js';
import { DAY_MS } from '../base/time/time.js';
import {
  forgottenFile,
  identityFile,
  landingDir,
  payeeSaltFile,
  personalDataKeyFile,
  runsDir,
  unfinishedCopyFile,
  webhookSecretFile,
  workingCopyFile,
} from './data-folder.js';
import { Data, type SharedData } from './data.js';
import { makeDataFolder } from './file-modes.js';
import { writeFileOnce } from './files.js';
import { openDataFolder, refuseUnfinishedCopy } from './folder-identity.js';
import { openStorage, type ReachSettings } from './open.js';
import type { Storage } from './storage.js';

/*
 * The data folder of a machine, as a working copy of the data in a bucket (`data: s3://…`). A lost working copy costs only
 * what its running steps had not given yet.
 */

/** Where all data is. */
export interface DataSettings {
  /** The data folder; the working copy if the data is in a bucket. */
  dataDir: string;
  /** The bucket (`s3://bucket/prefix`) that holds the data; undefined if the folder holds it. */
  bucket?: string | undefined;
  /** How to reach the bucket. */
  storage: ReachSettings;
}

const Identity = z.looseObject({ id: z.string().regex(/^[0-9a-f]{8}$/), of: z.string() });

// A step takes a part again if it still needs it. Small parts stay, because many steps read them.
const LARGE_BYTES = 256 * 1024;
const PART_MS = 2 * DAY_MS;
// A run may wait for quota for days. Its files are needed until it ends.
const RUN_MS = 30 * DAY_MS;

/**
 * Opens the data of this machine. With a bucket, sends no request yet.
 * @throws TidemarkError `InvalidConfig` without credentials, or when the folder is the working copy of other data
 */
export async function openData({ bucket, storage, dataDir }: DataSettings): Promise<Data> {
  if (bucket === undefined) return new Data(dataDir);
  makeDataFolder(dataDir);
  return openWorkingCopy(openStorage(bucket, storage), dataDir);
}

/**
 * Opens the working copy in a folder. Gives a new folder an identity.
 * @throws TidemarkError `InvalidConfig` when the folder holds data itself, or is the working copy of other data
 */
export async function openWorkingCopy(storage: Storage, dataDir: string): Promise<SharedData> {
  const file = workingCopyFile(dataDir);
  const refuse = (fault: string, todo: string) =>
    new TidemarkError('InvalidConfig', `The folder ${dataDir} ${fault} ${storage.name}.`, { todo });
  // In a working copy, this file is older than `folder.json`. So look for `folder.json` first.
  const holdsData = existsSync(identityFile(dataDir));
  if (!existsSync(file)) {
    // A working copy removes files that the bucket has, so it must not begin in a folder with the only copy of data.
    if (holdsData)
      throw refuse(
        'holds data itself, so it cannot become a working copy of',
        'Set TIDEMARK_STORAGE_FOLDER to a new folder. `tidemark data copy` copies the data of the old folder to the bucket.',
      );
    await writeFileOnce(file, `${JSON.stringify({ id: randomUUID().slice(0, 8), of: storage.name })}\n`);
  }
  const { id, of } = Identity.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (of !== storage.name)
    throw refuse(
      `is a working copy of ${of}, not of`,
      'Set TIDEMARK_STORAGE_FOLDER to another folder, or correct `data`.',
    );
  return new Data(dataDir, storage, id) as SharedData;
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

/**
 * Removes old files from a working copy, so that it stays small: large parts after two days, and the files of runs and
 * rebuilds after 30 days. The bucket keeps them.
 * @param now milliseconds since 1970
 */
export function sweep({ dataDir }: { dataDir: string }, now = Date.now()): void {
  const landing = landingDir(dataDir);
  const names = existsSync(landing) ? readdirSync(landing, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names) {
    const file = path.join(landing, name);
    if (name.endsWith('.parquet') && isOld(file, now - PART_MS, LARGE_BYTES)) rmSync(file, { force: true });
  }
  const runs = runsDir(dataDir);
  for (const name of existsSync(runs) ? readdirSync(runs) : [])
    if (isOld(path.join(runs, name), now - RUN_MS)) rmSync(path.join(runs, name), { recursive: true, force: true });
}

function isOld(file: string, before: number, bytes = 0): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < before && found.size >= bytes;
}
