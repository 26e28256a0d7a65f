import path from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { copyDir } from '../../store/data-folder.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { tryReadJson, writeFileAtomic } from '../../store/files.js';
import { isBucket } from '../../store/places.js';
import { openStorage } from '../../store/open.js';
import type { Patience } from '../../store/retry.js';
import type { Storage } from '../../store/storage.js';
import { assertWriter } from '../duckdb/writer.js';
import { copyCurrentBuild, KEEP_SECONDS, type Copied, type CopyOptions } from './copy-build.js';
import type { Data } from '../../store/data.js';

const RECORD = 'result.json';

const CopyRecord = z.object({
  /** Name of the storage, such as `s3://bucket/prefix`. */
  to: z.string(),
  /** ISO instant of this machine's clock. */
  at: z.string(),
  /** Build that is current in the storage, as far as this data folder knows; null before the first copy. */
  build: z.string().nullable(),
  /** Why the last copy failed; null if it succeeded. */
  fault: z.string().nullable(),
});
/** Result of the last copy, in `data/published/copy/result.json`. */
export type CopyRecord = z.infer<typeof CopyRecord>;

/** The settings that say where to copy builds. */
export type CopyConfig = Pick<Config, 'publish' | 'storage' | 'dataDir' | 'bucket' | 'file'>;

/**
 * Opens the storage that `publish.to` names; undefined without this setting.
 * @throws TidemarkError `InvalidConfig` without credentials
 */
export function openRemote({ publish: { to }, storage, file }: CopyConfig, patience?: Patience): Storage | undefined {
  return to === undefined ? undefined : openStorage(placeOf(to, file), storage, process.env, patience);
}

/**
 * Copies the current build to the storage that `publish.to` names. Records the result for `tidemark status`. With the
 * data in a bucket, only the writer of the warehouse may do it.
 * @returns undefined without this setting
 * @throws TidemarkError; the build in the data folder is unchanged
 */
export async function copyPublished(
  config: CopyConfig,
  data: Data,
  options: Omit<CopyOptions, 'keepSeconds'> & { keepSeconds?: number },
): Promise<Copied | undefined> {
  const { to } = config.publish;
  if (to === undefined) return undefined;
  const place = placeOf(to, config.file);
  const record = { to: place, at: new Date().toISOString() };
  try {
    const storage = openStorage(place, config.storage);
    const stillAllowed = (): Promise<void> => assertWriter(data).then(() => undefined);
    const copied = await copyCurrentBuild(storage, config.dataDir, {
      keepSeconds: KEEP_SECONDS,
      stillAllowed,
      ...options,
    });
    await writeRecord(config.dataDir, { ...record, build: copied.build, fault: copied.pruneFault });
    return copied;
  } catch (error) {
    const known = readCopyRecord(config.dataDir);
    const build = known?.to === place ? known.build : null;
    await writeRecord(config.dataDir, { ...record, build, fault: describe(error) }).catch(() => undefined);
    throw error;
  }
}

/** As `copyPublished`, but never throws. Returns a sentence about the fault; null without a fault. */
export async function copyOrDescribe(config: CopyConfig, data: Data, what: string): Promise<string | null> {
  try {
    const copied = await copyPublished(config, data, { what });
    if (!copied?.pruneFault) return null;
    return `Old versions in ${copied.to} could not be removed: ${copied.pruneFault} The next publication tries again.`;
  } catch (error) {
    return describeFault(config, error);
  }
}

/** Describes why a build was not copied, and what to do. */
export function describeFault({ publish }: CopyConfig, error: unknown): string {
  return `The build is published here, but was not copied to ${publish.to}: ${describe(error)} The next publication, or \`tidemark publish --copy\`, copies it.`;
}

/** Reads the result of the last copy; undefined before the first one. */
export function readCopyRecord(dataDir: string): CopyRecord | undefined {
  return tryReadJson(path.join(copyDir(dataDir), RECORD), CopyRecord);
}

async function writeRecord(dataDir: string, record: CopyRecord): Promise<void> {
  await writeFileAtomic(path.join(copyDir(dataDir), RECORD), `${JSON.stringify(record)}\n`);
}

function describe(error: unknown): string {
  return error instanceof TidemarkError ? `${error.message} ${error.todo}` : errorMessage(error);
}

/** A folder is relative to the folder of the configuration file. */
function placeOf(to: string, file: string): string {
  return isBucket(to) ? to : path.resolve(path.dirname(file), to);
}
