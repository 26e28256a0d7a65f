import type { FastifyReply, FastifyRequest } from 'fastify';
import { claimSession, renewProof, screenHeaders } from './guards.js';
import { messageScreen } from './screens.js';
import { authenticate, isSettled, type Session, type Sessions } from './sessions.js';

const AGAIN = 'To start again, return to the application from which you came.';

/**
 * Sends an HTML page. Forms on the page of a session may also lead to the address of the session's client. Forms on
 * other pages may lead only to this server.
 */
export function show(reply: FastifyReply, session: Session | null, html: string): FastifyReply {
  return reply
    .headers(screenHeaders(session?.redirectUri ?? null))
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Answers 403 with a page that says what to do. */
export function refuse(reply: FastifyReply, text: string): FastifyReply {
  return show(reply.code(403), null, messageScreen('Cannot continue', text));
}

/**
 * Refuses an unknown or expired session, and a session of another browser. All three cases get the same answer, so that
 * it reveals nothing about other sessions.
 */
export function refuseUnknown(reply: FastifyReply): FastifyReply {
  return refuse(reply, 'This sign-in is unknown or expired, or it was started in another browser. ' + AGAIN);
}

/**
 * Returns the session of a step. If the session is unknown, expired, ended or belongs to another browser, sends a
 * refusal and returns undefined.
 */
export function openSession(
  sessions: Sessions,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Session | undefined {
  const session = sessions.get(id, Date.now());
  if (!session || !claimSession(session, request, reply)) void refuseUnknown(reply);
  else if (isSettled(session))
    void refuse(reply, 'This sign-in is already finished: it was approved or refused. ' + AGAIN);
  else return session;
  return undefined;
}

/** Signs a person in: renews the session's cookie and redirects to the consent screen. */
export function signIn(session: Session, person: string, reply: FastifyReply): FastifyReply {
  authenticate(session, person);
  renewProof(session, reply);
  const query = new URLSearchParams({ session: session.id }).toString();
  return leave(session, `/oauth/consent?${query}`, reply);
}

/** Redirects a browser that has posted a form. Uses status 303. */
export function leave(session: Session, address: string, reply: FastifyReply): FastifyReply {
  return reply.headers(screenHeaders(session.redirectUri)).redirect(address, 303);
}
