import { readFileSync } from 'node:fs';
import { errorMessage, invalidInput } from '../../base/errors.js';

const LARGEST = 64 * 1024 * 1024;

/**
 * Reads a file of at most 64 MiB.
 * @throws TidemarkError `InvalidInput` when the file cannot be read or is too large
 */
export function readListFile(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw invalidInput(
      `Cannot read ${file}: ${errorMessage(error)}`,
      'Name a CSV file that you have permission to read.',
      error,
    );
  }
  requireSmall(bytes.length, file);
  return bytes;
}

/**
 * Rejects a list of more than 64 MiB.
 * @param bytes size of the list
 * @throws TidemarkError `InvalidInput`
 */
export function requireSmall(bytes: number, name: string): void {
  if (bytes > LARGEST) throw invalidInput(`${name} is larger than 64 MiB.`, 'Split it into several lists.');
}
