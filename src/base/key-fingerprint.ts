import { createHash } from 'node:crypto';

/** Form of an API key. It is sent in an HTTP header, so it has only visible ASCII characters. */
export const API_KEY = /^[\x21-\x7e]+$/;

/** Returns 8 hex digits by which people can compare API keys without seeing them. */
export function keyFingerprint(apiKey: string): string {
  return createHash('sha256').update(`tidemark ${apiKey}`).digest('hex').slice(0, 8);
}
