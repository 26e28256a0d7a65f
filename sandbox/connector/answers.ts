import type { FastifyReply, FastifyRequest } from 'fastify';
import { claimSession, renewProof, screenHeaders } from './guards.js';
import { messageScreen } from './screens.js';
import { authenticate, isSettled, type Session, type Sessions } from './sessions.js';

const AGAIN = 'To start again, return to the application from which you came.';

/**
 * Sends a screen. The forms on a session's screen may also lead to the session's client. The forms on other screens
 * may lead only to this server.
 */
export function show(reply: FastifyReply, session: Session | null, html: string): FastifyReply {
  return reply
    .headers(screenHeaders(session?.redirectUri ?? null))
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Answers 403 with a screen that says what to do. */
export function refuse(reply: FastifyReply, text: string): FastifyReply {
  return show(reply.code(403), null, messageScreen('Cannot continue', text));
}

/**
 * Refuses an unknown or expired session and a session of another browser. All three get the same answer, which reveals
 * nothing about other sessions.
 */
export function refuseUnknown(reply: FastifyReply): FastifyReply {
  return refuse(reply, 'This sign-in is unknown or expired, or it was started in another browser. ' + AGAIN);
}

/**
 * Returns the session of a step. If the session is unknown, expired, ended or of another browser, sends a refusal and
 * returns undefined.
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

/** Redirects a browser with status 303, after it has posted a form. */
export function leave(session: Session, address: string, reply: FastifyReply): FastifyReply {
  return reply.headers(screenHeaders(session.redirectUri)).redirect(address, 303);
}
