import { createHash } from 'node:crypto';

/** Returns 8 hex digits by which people can compare API keys without seeing them. */
export function keyFingerprint(apiKey: string): string {
  return createHash('sha256').update(`tidemark ${apiKey}`).digest('hex').slice(0, 8);
}
