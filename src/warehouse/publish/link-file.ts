import { linkSync, statSync } from 'node:fs';

/**
 * Links a file of an earlier build. Returns false when the file is missing, has another size than expected, or hard
 * links are not supported.
 */
export function linkFile(from: string, bytes: number, to: string): boolean {
  try {
    if (statSync(from).size !== bytes) return false;
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}
