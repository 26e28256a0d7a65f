import { z } from 'zod';

/** Matches a host without characters that have a special meaning in a Content-Security-Policy. */
const PLAIN_HOST = /^[a-z0-9.\-_:[\]]+$/;

/**
 * Address that receives the result of a sign-in. Requirements:
 * - The scheme is http or https, so that no redirect runs a script.
 * - There is no user name, because it could hide the real host from a reader.
 * - There is no fragment, because code and state would be lost in it.
 */
export const RedirectUri = z
  .string()
  .max(2000)
  .refine(isSafe, 'Expected an http or https address without a user and without a fragment.');

/** Returns whether an address leads to a program on the person's own computer. */
export function isOwnComputer(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]');
}

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash, host } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '' && PLAIN_HOST.test(host);
}
