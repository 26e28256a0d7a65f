import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameSecret, token, type Session } from './sessions.js';

/*
 * What keeps a sign-in in the hands of the browser that began it: posts from other sites are refused, and a session
 * belongs to the first browser that opens it (a cookie), so that a link handed to somebody else signs nobody in for the
 * one who made it.
 */

const COOKIE = 'connector_browser';

/** Whether a request could have been made by another site's page. */
export function isCrossSite(request: FastifyRequest): boolean {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  try {
    return new URL(origin).host !== host;
  } catch {
    return true; // "null", from a sandboxed frame or a redirect across sites
  }
}

function browserOf(request: FastifyRequest): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return cookies.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

/** Gives the session to the browser that opens it first; false when another one has it. */
export function claimSession(session: Session, request: FastifyRequest, reply: FastifyReply): boolean {
  const browser = browserOf(request);
  if (session.browser !== null) return browser !== undefined && sameSecret(browser, session.browser);
  session.browser = browser ?? token();
  if (browser === undefined) {
    void reply.header('set-cookie', `${COOKIE}=${session.browser}; Path=/oauth; HttpOnly; SameSite=Lax`);
  }
  return true;
}

/** Whether a request may act on a session: the browser's own, or a tool's on a session no browser has opened. */
export function holdsSession(session: Session, request: FastifyRequest): boolean {
  const browser = browserOf(request);
  if (session.browser === null) return true;
  return browser !== undefined && sameSecret(browser, session.browser);
}

/** Headers of every screen: no scripts, no frames, forms only to this server and on to the client. */
export function screenHeaders(redirectUri: string | null): Record<string, string> {
  const client = redirectUri === null ? '' : ` ${new URL(redirectUri).origin}`;
  return {
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self'${client}; frame-ancestors 'none'; base-uri 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}
