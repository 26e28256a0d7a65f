import { invalidInput } from '../base/errors.js';

/** Longest key with its prefix, in bytes of UTF-8: the limit of S3. */
const MAX_KEY_BYTES = 1_024;
/** Longest part between two slashes, in bytes. Local files have this limit, less the letters of temporary names. */
const MAX_PART_BYTES = 200;

/**
 * Checks a key: parts with `/` between them, at most 1,024 bytes, each part at most 200 bytes. No part is empty or
 * begins with a dot: such names are temporary files and locks of local folders. Control characters and backslashes are
 * refused.
 * @throws TidemarkError `InvalidInput`
 */
export function checkKey(key: string): void {
  const fault = faultOf(key);
  if (fault !== undefined) {
    throw invalidInput(
      `${JSON.stringify(key)} is no key of a storage: ${fault}.`,
      'Use a relative path such as landing/companies/part-1.parquet.',
    );
  }
}

/** Whether a name could be a key. */
export function isKey(name: string): boolean {
  return faultOf(name) === undefined;
}

function faultOf(key: string): string | undefined {
  if (/\p{Cs}/u.test(key)) return 'it is no valid Unicode';
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `it has more than ${MAX_KEY_BYTES} bytes`;
  if (/[\p{Cc}\\]/u.test(key)) return 'it has a control character or a backslash';
  for (const part of key.split('/')) {
    if (part === '') return 'a part is empty';
    if (part.startsWith('.')) return 'a part begins with a dot';
    if (Buffer.byteLength(part) > MAX_PART_BYTES) return `a part has more than ${MAX_PART_BYTES} bytes`;
  }
  return undefined;
}

/** Compares two keys by their bytes in UTF-8, as S3 sorts them. */
export function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
