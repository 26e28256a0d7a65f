import type { Method } from './request.js';

/** Follow at most this many redirects of one request. */
export const MOST_REDIRECTS = 5;

/** The part of a request that a redirect may change. */
export interface Sent {
  method: Method;
  /** Path and query, from the root of the origin. */
  path: string;
  body: string | null;
}

/**
 * Returns the request that follows a redirect within the origin (RFC 9110, 15.4). Returns null if Tidemark does not
 * follow the answer: it is no redirect, or it leads to another origin, which must not get the API key. Pure.
 *
 * Keeps method and body. A 303 names the result of the request, so only a GET follows it.
 */
export function nextRequest<T extends Sent>(
  origin: string,
  sent: T,
  status: number,
  location: string | null,
): T | null {
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return null;
  if (status === 303 && sent.method !== 'GET') return null;
  const here = `${origin}${sent.path}`;
  if (!URL.canParse(location, here)) return null;
  const target = new URL(location, here);
  return target.origin === origin ? { ...sent, path: target.pathname + target.search } : null;
}
