import path from 'node:path';
import type { LandingPlace } from '../core/data-folder.js';

// The names in a run's folder of the landing zone. The folder itself is `runFolder` in src/core/data-folder.ts.

const SPOOL = '_spool';

/** Identifies a part: the folder of its stream, logical date and run, and the name of its chunk. */
export interface PartTarget extends LandingPlace {
  market: string | null;
  /** Name of the chunk and of its part; unique in run and stream. */
  chunk: string;
}

/** Returns the file name of a chunk's part. */
export function partName(chunk: string): string {
  return `part-${chunk}.parquet`;
}

/**
 * Returns a second file name for a chunk's part. Used when an uncommitted attempt has already written a file with the
 * first name.
 */
export function otherPartName(chunk: string, sha256: string): string {
  return `part-${chunk}.${sha256.slice(0, 12)}.parquet`;
}

/** Returns the name of a part's manifest. Both file names of a part give the same name. */
export function manifestName(part: string): string {
  return part.replace(/(\.[0-9a-f]{12})?\.parquet$/, '.json');
}

/** Folder of the manifests in a run's folder. */
export function manifestsDir(folder: string): string {
  return path.join(folder, '_manifest');
}

/** Folder of the spools in a run's folder. */
export function spoolsDir(folder: string): string {
  return path.join(folder, SPOOL);
}

/** Whether a path in the landing zone names a spool. */
export function isSpool(file: string): boolean {
  return path.basename(path.dirname(file)) === SPOOL;
}

/** Returns the path of a chunk's manifest. */
export function manifestFile(folder: string, chunk: string): string {
  return path.join(manifestsDir(folder), `part-${chunk}.json`);
}

/** Returns the path of a chunk's spool: one JSON line per response. The spool is removed once the part is committed. */
export function spoolFile(folder: string, chunk: string): string {
  return path.join(spoolsDir(folder), `part-${chunk}.ndjson`);
}
