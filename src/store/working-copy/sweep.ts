import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { landingDir, runsDir } from '../data-folder.js';
import { DAY_MS } from '../../base/time/time.js';

// A step takes a part again if it still needs it. Small parts stay, because many steps read them.
const LARGE_BYTES = 256 * 1024;
const PART_MS = 2 * DAY_MS;
// A run may wait for quota for days. Its files are needed until it ends.
const RUN_MS = 30 * DAY_MS;

/**
 * Removes old files from a working copy, so that it stays small: large parts after two days, and the files of runs and
 * rebuilds after 30 days. The bucket keeps them.
 * @param now milliseconds since 1970
 */
export function sweep({ dataDir }: { dataDir: string }, now = Date.now()): void {
  const landing = landingDir(dataDir);
  const names = existsSync(landing) ? readdirSync(landing, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names) {
    const file = path.join(landing, name);
    if (name.endsWith('.parquet') && isOld(file, now - PART_MS, LARGE_BYTES)) rmSync(file, { force: true });
  }
  const runs = runsDir(dataDir);
  for (const name of existsSync(runs) ? readdirSync(runs) : [])
    if (isOld(path.join(runs, name), now - RUN_MS)) rmSync(path.join(runs, name), { recursive: true, force: true });
}

function isOld(file: string, before: number, bytes = 0): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < before && found.size >= bytes;
}
