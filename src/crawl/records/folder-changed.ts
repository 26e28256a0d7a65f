import { existsSync } from 'node:fs';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { TidemarkError } from '../../base/errors.js';
import { runFolder } from '../../store/data-folder.js';
import { findReplacing, manifestFile, pullManifests } from '../../landing/index.js';
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

/**
 * Whether the landing zone holds a record about the run itself. The run lands the record `open` when it opens, and
 * `close` when its crawl ends. Asks the bucket for the record by its name first, because a list of the bucket may be an
 * earlier one.
 */
export async function hasRunRecord(data: Data, { run, date }: RunContext, chunk: 'open' | 'close'): Promise<boolean> {
  const folder = runFolder({ data, stream: 'runs', run, date });
  const manifest = manifestFile(folder, chunk);
  const isHere = (): boolean => existsSync(manifest) || findReplacing(folder, chunk) !== undefined;
  if (isHere()) return true;
  await data.take(manifest);
  if (!isHere()) await pullManifests(data, { streams: ['runs'], run: { run, date } });
  return isHere();
}
