import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import { streamDir } from '../store/data-folder.js';

/** The folder that holds the answers of one stream, date and run. */
export interface RunFolder {
  folder: string;
  /** Date of the night, YYYY-MM-DD. */
  date: string;
  run: string;
}

/**
 * Lists the folders of a stream on this machine, ordered by date and run.
 * @param since first date to list, YYYY-MM-DD; default: the earliest
 */
export function* runFolders(dataDir: string, stream: LandingStream, since = ''): Generator<RunFolder> {
  const root = streamDir(dataDir, stream);
  for (const date of namesIn(root, 'date=')) {
    if (date < `date=${since}`) continue;
    for (const run of namesIn(path.join(root, date), 'run='))
      yield {
        folder: path.join(root, date, run),
        date: date.slice('date='.length),
        run: run.slice('run='.length),
      };
  }
}

/** Returns the sorted names in a folder that begin with a prefix; none if there is no folder. */
export function namesIn(folder: string, prefix = ''): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .toSorted();
}
