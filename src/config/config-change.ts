import { statSync } from 'node:fs';
import { hashFile, type Config } from './config.js';
import { TidemarkError } from '../base/errors.js';

/**
 * Checks whether the configuration file changed after this process read it. Ignores changes of comments and layout.
 * @returns what changed, as a part of a message; null when the settings are the same
 */
export function configChange({ file, fileHash }: Config): string | null {
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
