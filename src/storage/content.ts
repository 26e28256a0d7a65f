import type { Content } from './storage.js';

/** Whether two files have the same size and hash. */
export function isSame(left: Content, right: Content): boolean {
  return left.bytes === right.bytes && left.sha256 === right.sha256;
}

/** Describes what is wrong with a downloaded file, as the end of a sentence. */
export function describeDamage(found: Content, expected: Content): string {
  return found.bytes === expected.bytes
    ? `has the hash ${found.sha256}, not ${expected.sha256}`
    : `has ${found.bytes} bytes, not ${expected.bytes}`;
}
