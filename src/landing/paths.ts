import path from 'node:path';
import type { LandingStream } from '../../schemas/pipeline/landing.js';

/** The place of a part: one folder per stream, logical date and run. */
export interface PartTarget {
  dataDir: string;
  stream: LandingStream;
  run: string;
  /** Logical date, `YYYY-MM-DD`. */
  date: string;
  market: string | null;
  /** Unique in run and stream; names the part. */
  chunk: string;
}

/** Returns `data/landing`. */
export function landingDir(dataDir: string): string {
  return path.join(dataDir, 'landing');
}

/** Returns `data/landing/<stream>/date=…/run=…`. */
export function runFolder(target: Pick<PartTarget, 'dataDir' | 'stream' | 'run' | 'date'>): string {
  return path.join(landingDir(target.dataDir), target.stream, `date=${target.date}`, `run=${target.run}`);
}

/** Returns the file name of a chunk's part. */
export function partName(chunk: string): string {
  return `part-${chunk}.parquet`;
}

/** Returns a second file name for a chunk's part, for use when an uncommitted attempt has taken the first name. */
export function otherPartName(chunk: string, sha256: string): string {
  return `part-${chunk}.${sha256.slice(0, 12)}.parquet`;
}

/** Returns the name of a part's manifest, which is the same for both names of the part. */
export function manifestName(part: string): string {
  return part.replace(/(\.[0-9a-f]{12})?\.parquet$/, '.json');
}

/** Returns the path of a chunk's manifest. */
export function manifestFile(folder: string, chunk: string): string {
  return path.join(folder, '_manifest', `part-${chunk}.json`);
}

/** Returns the path of a chunk's spool: one JSON line per response, removed once the part is committed. */
export function spoolFile(folder: string, chunk: string): string {
  return path.join(folder, '_spool', `part-${chunk}.ndjson`);
}
