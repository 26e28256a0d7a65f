import { statSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../core/errors.js';

/**
 * The file that `--out` names, absolute.
 * @throws TidemarkError `InvalidInput` when it is a folder
 */
export function outFile(out: string): string {
  const file = path.resolve(out);
  if (out !== '' && !out.endsWith('/') && !isFolder(file)) return file;
  throw new TidemarkError('InvalidInput', `--out ${out === '' ? '""' : out} is a folder.`, {
    todo: 'Name a file in that folder.',
  });
}

/** Whether this is a folder. What cannot be looked at is none: writing it says why. */
export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
