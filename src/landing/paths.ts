import path from 'node:path';
import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import type { Data } from '../store/data.js';
import { streamDir, type LandingPlace } from '../store/data-folder.js';
import { namesIn } from '../store/files.js';

// Names of the files in a run's folder of the landing zone. `runFolder` in src/store/data-folder.ts returns the folder.

const SPOOL = '_spool';
const QUARANTINE = '_quarantine';

/** Identifies a part by its run's folder (stream, date, run) and by the name of its chunk. */
export interface PartTarget extends LandingPlace {
  data: Data;
  market: string | null;
  /** Name of the chunk and of its part. Unique in the stream of a run. */
  chunk: string;
}

/**
 * Returns the file name of a chunk's part. Several attempts may write the same chunk at the same time, also on several
 * machines. The hash in the name keeps their parts apart.
 */
export function partName(chunk: string, sha256: string): string {
  return `part-${chunk}.${sha256.slice(0, 12)}.parquet`;
}

/** Returns the file name of a part's manifest. It is the same for all parts of a chunk. */
export function manifestName(part: string): string {
  return part.replace(/(\.[0-9a-f]{12})?\.parquet$/, '.json');
}

/** Returns the folder of the manifests in a run's folder. In quarantine, each manifest is beside its part. */
export function manifestsDir(folder: string): string {
  return path.basename(folder) === QUARANTINE ? folder : path.join(folder, '_manifest');
}

/** Returns the folder of the spools in a run's folder. */
export function spoolsDir(folder: string): string {
  return path.join(folder, SPOOL);
}

/** Returns the folder of the parts in a run's folder that no step reads. */
export function quarantineDir(folder: string): string {
  return path.join(folder, QUARANTINE);
}

/** Whether a path in the landing zone is a spool. A file whose name begins with a dot is a temporary one. */
export function isSpool(file: string): boolean {
  return path.basename(path.dirname(file)) === SPOOL && !path.basename(file).startsWith('.');
}

/** Returns the path of a chunk's manifest. */
export function manifestFile(folder: string, chunk: string): string {
  return path.join(manifestsDir(folder), `part-${chunk}.json`);
}

/** Returns the path of a chunk's spool. frames.ts describes its content. */
export function spoolFile(folder: string, chunk: string): string {
  return path.join(spoolsDir(folder), `part-${chunk}.spool`);
}

/**
 * Returns the chunk of a spool, from its file name; undefined if the file is no spool. The names of webhook deliveries
 * end with a number (deliveries.ts).
 */
export function chunkOfSpool(name: string): string | undefined {
  return /^part-(.+)\.spool(?:\.\d+)?$/.exec(name)?.[1];
}

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
