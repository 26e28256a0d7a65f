import { statSync } from 'node:fs';
import { hashFile, type Config } from './config.js';
import { TidemarkError } from './errors.js';

/**
 * Says that the configuration file is another one now than the one this process read; null where it is the same.
 * Comments and layout do not count.
 */
export function configChange({ file, fileHash }: Config): string | null {
  if (fileHash === undefined) return null;
  try {
    return hashFile(file) === fileHash ? null : `${file} changed at ${changedAt(file)}, after the worker started`;
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    return `${file} cannot be read any more since the worker started: ${error.message}`;
  }
}

/** When a file was last written, to the second. */
export function changedAt(file: string): string {
  return `${statSync(file).mtime.toISOString().slice(0, 19)}Z`;
}
