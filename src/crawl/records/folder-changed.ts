import { existsSync } from 'node:fs';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { TidemarkError } from '../../base/errors.js';
import { runFolder } from '../../store/data-folder.js';
import { findReplacing, manifestFile } from '../../landing/index.js';
import type { Data } from '../../store/data.js';

/**
 * Makes the error for a run that cannot continue, because its data folder was replaced or lacks files of the run. This
 * happens, for example, after a restore.
 * @param what what changed or is missing, as a part of the message
 */
export function folderChanged(dataDir: string, what: string, cause?: unknown): TidemarkError {
  return new TidemarkError('DataFolderChanged', `The data folder ${dataDir} changed during the run: ${what}.`, {
    todo: 'Was a backup restored, or the folder emptied or moved? This run ends. Start it again: the next run fetches the records that are missing.',
    cause,
  });
}

/** Takes the manifest of a record about the run by its name, because a list of the bucket may be an earlier one. */
export async function takeRunRecord(data: Data, { run, date }: RunContext, chunk: 'open' | 'close'): Promise<void> {
  const folder = runFolder({ data, stream: 'runs', run, date });
  await data.take(manifestFile(folder, chunk));
}

/**
 * Whether the landing zone holds a record about the run itself. The run lands the record `open` when it opens, and
 * `close` when its crawl ends.
 */
export function hasRunRecord(dataDir: string, { run, date }: RunContext, chunk: 'open' | 'close'): boolean {
  const folder = runFolder({ data: { dataDir }, stream: 'runs', run, date });
  return existsSync(manifestFile(folder, chunk)) || findReplacing(folder, chunk) !== undefined;
}
