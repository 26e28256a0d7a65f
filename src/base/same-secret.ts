import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares in constant time: the time must not show where the texts differ. The texts are hashed first, because the
 * comparison needs equal lengths.
 */
export function isSameSecret(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
