import { z } from 'zod';

/** Nothing that could mean something inside a Content-Security-Policy. */
const PLAIN_HOST = /^[a-z0-9.\-_:[\]]+$/;

/**
 * Where a client may be told the outcome of a sign-in: http or https, so that no redirect runs a script; without a user
 * (which hides the real host from a reader) and without a fragment (which would swallow code and state).
 */
export const RedirectUri = z
  .string()
  .max(2000)
  .refine(isSafe, 'Expected an http or https address without a user and without a fragment.');

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash, host } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '' && PLAIN_HOST.test(host);
}
