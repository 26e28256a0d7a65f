import { existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../base/errors.js';

// Numbers of file systems in `statfs` on Linux: of /proc and /sys.
const WITHOUT_FOLDERS = new Set([0x9fa0, 0x62656572]);
const TODO = 'Set `data` (or TIDEMARK_DATA) to a folder that this user may create.';

/**
 * Checks that a data folder exists or can be created. Creates nothing.
 * @throws TidemarkError `InvalidConfig` for
 * - a path with a `?`: DuckDB would read the text after it as a URL query, and look for its write-ahead log elsewhere
 * - a file, or a path below a file
 * - a missing folder below /proc or /sys, where Node 20 would try to create it without end
 */
export function requireUsableFolder(dataDir: string): void {
  if (dataDir.includes('?')) {
    throw new TidemarkError('InvalidConfig', `The path of the data folder contains a "?": ${dataDir}.`, {
      todo: 'DuckDB cannot write there. Rename the folder, or set `data` (or TIDEMARK_DATA) to a path without a "?".',
    });
  }
  const parent = nearest(dataDir);
  if (!statSync(parent).isDirectory())
    throw new TidemarkError('InvalidConfig', `The data folder ${dataDir} cannot exist: ${parent} is a file.`, {
      todo: TODO,
    });
  if (parent !== dataDir && WITHOUT_FOLDERS.has(statfsSync(parent).type))
    throw new TidemarkError(
      'InvalidConfig',
      `The data folder ${dataDir} cannot be created: ${parent} belongs to the kernel.`,
      {
        todo: TODO,
      },
    );
}

/** Returns the path itself, or the nearest folder above it that exists. */
function nearest(place: string): string {
  const parent = path.dirname(place);
  return existsSync(place) || parent === place ? place : nearest(parent);
}
