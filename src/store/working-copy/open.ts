import { makeDataFolder } from '../file-modes.js';
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
