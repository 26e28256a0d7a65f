import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether an Authorization header is `Token <key>`; compared by digest, so that time tells nothing about the key. */
export function holdsToken(header: string | undefined, key: string): boolean {
  const given = /^Token ([^\s]+)$/.exec(header ?? '')?.[1];
  return given !== undefined && holdsKey(given, key);
}

/** Whether a key given by itself is the right one. */
export function holdsKey(given: string, key: string): boolean {
  return timingSafeEqual(digest(given), digest(key));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether an address is the machine itself. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(127\.|::1$|::ffff:127\.)/.test(address);
}
