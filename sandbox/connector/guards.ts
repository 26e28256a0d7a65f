import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS, sameSecret, token, type Session } from './sessions.js';

/*
 * These checks keep a sign-in in the browser that began it. Posts from other sites are refused. A session belongs to
 * the first browser that opens it. The session cookie proves that a request comes from this browser.
 *
 * Each session has its own cookie, and the sign-in replaces this cookie. To continue a session, its address is not
 * enough. An earlier cookie is not enough either, because somebody could have planted or stolen it.
 */

/** Returns whether a page of another site may have sent the request. */
export function isCrossSite(request: FastifyRequest): boolean {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  try {
    return new URL(origin).host !== host;
  } catch {
    // `Origin: null` is no URL. It comes from a sandboxed frame or a redirect across sites, so reject it like another site.
    return true;
  }
}

/**
 * Returns whether a request may continue a session. The first request gets the cookie; later requests must send it. So
 * a client that stores no cookies can make only the first request.
 */
export function claimSession(session: Session, request: FastifyRequest, reply: FastifyReply): boolean {
  if (session.proof === null) {
    renewProof(session, reply);
    return true;
  }
  return holdsSession(session, request);
}

/** Returns whether a request has the session's cookie. */
export function holdsSession(session: Session, request: FastifyRequest): boolean {
  const start = `${cookieOf(session)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return cookies.some((pair) => pair.startsWith(start) && holds(session, pair.slice(start.length)));
}

function holds({ proof }: Session, given: string): boolean {
  return proof !== null && sameSecret(given, proof);
}

/** Sets a new cookie for the session. The earlier cookie becomes invalid. */
export function renewProof(session: Session, reply: FastifyReply): void {
  session.proof = token();
  void reply.removeHeader('set-cookie');
  const attributes = `Path=/oauth; Max-Age=${LIFETIME_MS / 1000}; HttpOnly; SameSite=Lax`;
  void reply.header('set-cookie', `${cookieOf(session)}=${session.proof}; ${attributes}`);
}

/**
 * Returns the name of the session's cookie. Each session has its own cookie, so one browser can run several sign-ins.
 */
function cookieOf({ id }: Session): string {
  return `connector_${id}`;
}

/**
 * Returns the headers of every page. They forbid scripts and frames. Forms may lead only to this server and to the
 * client.
 */
export function screenHeaders(redirectUri: string | null): Record<string, string> {
  const client = redirectUri === null ? '' : ` ${new URL(redirectUri).origin}`;
  return {
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self'${client}; frame-ancestors 'none'; base-uri 'none'`,
    // Do not use `no-referrer`. The browser would then send this page's own forms with `Origin: null`, as if they came
    // from another site.
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}
