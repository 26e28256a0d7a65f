import path from 'node:path';
import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import { streamDir } from '../store/data-folder.js';
import { namesIn } from '../store/files.js';

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
