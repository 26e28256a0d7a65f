import { existsSync } from 'node:fs';
import type { RunContext } from '../../schemas/pipeline/run.js';
import { TidemarkError } from '../core/errors.js';
import { findReplacing, manifestFile, runFolder } from '../landing/index.js';

/** What a run relies on is gone from its data folder: a backup was restored, or files were removed. It cannot go on. */
export function folderChanged(dataDir: string, what: string, cause?: unknown): TidemarkError {
  return new TidemarkError('DataFolderChanged', `The data folder ${dataDir} changed during the run: ${what}.`, {
    todo: 'Was a backup restored, or the folder emptied or moved? The run ends here. Start it again: the next run fetches what the folder does not hold.',
    cause,
  });
}

/** Whether the run's opening record, or the one of its crawl's end, is in the landing zone. */
export function hasRunRecord(dataDir: string, { run, date }: RunContext, chunk: 'open' | 'close'): boolean {
  const folder = runFolder({ dataDir, stream: 'runs', run, date });
  return existsSync(manifestFile(folder, chunk)) || findReplacing(folder, chunk) !== undefined;
}
