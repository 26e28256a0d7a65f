import path from 'node:path';
import type { LandingStream } from '../../schemas/pipeline/landing.js';

/** Where a part belongs: one folder per stream, logical date and run. */
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

/** `data/landing`. */
export function landingDir(dataDir: string): string {
  return path.join(dataDir, 'landing');
}

/** `data/landing/<stream>/date=…/run=…`. */
export function runFolder(target: Pick<PartTarget, 'dataDir' | 'stream' | 'run' | 'date'>): string {
  return path.join(landingDir(target.dataDir), target.stream, `date=${target.date}`, `run=${target.run}`);
}

export function partName(chunk: string): string {
  return `part-${chunk}.parquet`;
}

/** The name of a part whose plain name another attempt has taken without committing it. */
export function otherPartName(chunk: string, sha256: string): string {
  return `part-${chunk}.${sha256.slice(0, 12)}.parquet`;
}

/** The manifest's name of a part, under whichever of its names. */
export function manifestName(part: string): string {
  return part.replace(/(\.[0-9a-f]{12})?\.parquet$/, '.json');
}

export function manifestFile(folder: string, chunk: string): string {
  return path.join(folder, '_manifest', `part-${chunk}.json`);
}

/** Responses of a chunk that is under way, one JSON line each; gone once the part is committed. */
export function spoolFile(folder: string, chunk: string): string {
  return path.join(folder, '_spool', `part-${chunk}.ndjson`);
}
