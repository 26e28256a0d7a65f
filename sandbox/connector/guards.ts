import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS, sameSecret, token, type Session } from './sessions.js';

/*
 * What keeps a sign-in in the hands of the browser that began it: posts from other sites are refused, and a session
 * belongs to who opens it first. Its cookie is the proof: made anew for each session and once more at sign-in, so that
 * neither the session's address nor a cookie planted or seen before lets anyone else go on with it.
 */

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

/**
 * Whether a request may go on with a session: it comes first, and gets the cookie, or it brings the cookie. Tools keep
 * cookies too, or are first in their only step.
 */
export function claimSession(session: Session, request: FastifyRequest, reply: FastifyReply): boolean {
  if (session.proof === null) {
    renewProof(session, reply);
    return true;
  }
  return holdsSession(session, request);
}

/** Whether a request brings a session's cookie. */
export function holdsSession(session: Session, request: FastifyRequest): boolean {
  const start = `${cookieOf(session)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return cookies.some((pair) => pair.startsWith(start) && holds(session, pair.slice(start.length)));
}

function holds({ proof }: Session, given: string): boolean {
  return proof !== null && sameSecret(given, proof);
}

/** Gives the session's browser a new cookie; the one before is worth nothing from now on. */
export function renewProof(session: Session, reply: FastifyReply): void {
  session.proof = token();
  void reply.removeHeader('set-cookie');
  const attributes = `Path=/oauth; Max-Age=${LIFETIME_MS / 1000}; HttpOnly; SameSite=Lax`;
  void reply.header('set-cookie', `${cookieOf(session)}=${session.proof}; ${attributes}`);
}

/** One cookie a session: several sign-ins may go on in one browser. */
function cookieOf({ id }: Session): string {
  return `connector_${id}`;
}

/** Headers of every screen: no scripts, no frames, forms only to this server and on to the client. */
export function screenHeaders(redirectUri: string | null): Record<string, string> {
  const client = redirectUri === null ? '' : ` ${new URL(redirectUri).origin}`;
  return {
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self'${client}; frame-ancestors 'none'; base-uri 'none'`,
    // Not `no-referrer`: under that a browser posts this page's own forms with `Origin: null`, like another site's.
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}
