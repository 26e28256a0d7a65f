import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** True where `openFilesBelow` works. */
export const LISTS_OPEN_FILES = process.platform === 'linux';

/** Files in this folder that this process has open. */
export function openFilesBelow(folder: string): string[] {
  const start = realpathSync(folder) + path.sep;
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(start) ? [file.slice(start.length)] : [];
    } catch {
      return []; // Closed since the folder was read.
    }
  });
}
