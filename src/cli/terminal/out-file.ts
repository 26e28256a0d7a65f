import { statSync } from 'node:fs';
import path from 'node:path';
import { TidemarkError } from '../../base/errors.js';

/**
 * Returns the absolute path of the file that `--out` names.
 * @throws TidemarkError `InvalidInput` when the path is empty or a folder
 */
export function outFile(out: string): string {
  const file = path.resolve(out);
  if (out !== '' && !out.endsWith('/') && !isFolder(file)) return file;
  throw new TidemarkError('InvalidInput', `--out ${out === '' ? '""' : out} is a folder.`, {
    todo: 'Name a file in that folder.',
  });
}

/**
 * Returns whether the path is a folder. Returns false when the path cannot be read: writing to it then fails with the
 * reason.
 */
export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
