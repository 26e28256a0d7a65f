import { statSync } from 'node:fs';
import { hashFile, type Config } from './config.js';
import { TidemarkError } from './errors.js';

/**
 * Checks whether the configuration file changed since this process read it. Ignores comments and layout.
 * @returns a clause for a message; null when the content is the same
 */
export function configChange({ file, fileHash }: Config): string | null {
  if (fileHash === undefined) return null;
  try {
    return hashFile(file) === fileHash ? null : `${file} changed at ${changedAt(file)}, after the worker started`;
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return `${file} was readable when the worker started, but is no longer readable: ${error.message}`;
  }
}

/** Returns when a file was last written, in ISO format to the second. */
export function changedAt(file: string): string {
  return `${statSync(file).mtime.toISOString().slice(0, 19)}Z`;
}
