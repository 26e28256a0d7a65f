import type { FastifyReply, FastifyRequest } from 'fastify';
import { claimSession, renewProof, screenHeaders } from './guards.js';
import { messageScreen } from './screens.js';
import { authenticate, isSettled, type Session, type Sessions } from './sessions.js';

const AGAIN = 'To begin anew, go back to the application that sent you here.';

/** Sends a screen; a session's screens may post on to its client, others to this server only. */
export function show(reply: FastifyReply, session: Session | null, html: string): FastifyReply {
  return reply
    .headers(screenHeaders(session?.redirectUri ?? null))
    .type('text/html; charset=utf-8')
    .send(html);
}

/** A dead end: 403, with what to do. */
export function refuse(reply: FastifyReply, text: string): FastifyReply {
  return show(reply.code(403), null, messageScreen('Cannot go on', text));
}

/** Said of sessions that are not there, and of those of others: which of the two is nobody's business. */
export function refuseUnknown(reply: FastifyReply): FastifyReply {
  return refuse(reply, 'This sign-in is unknown, over its time, or was begun in another browser. ' + AGAIN);
}

/** The session a step is for; answers by itself when there is none, it is over, or another browser has it. */
export function openSession(
  sessions: Sessions,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Session | undefined {
  const session = sessions.get(id, Date.now());
  if (!session || !claimSession(session, request, reply)) void refuseUnknown(reply);
  else if (isSettled(session)) void refuse(reply, 'This sign-in was already answered. ' + AGAIN);
  else return session;
  return undefined;
}

/** A person has shown who they are: the session gets a new cookie, and the consent screen comes next. */
export function signIn(session: Session, person: string, reply: FastifyReply): FastifyReply {
  authenticate(session, person);
  renewProof(session, reply);
  const query = new URLSearchParams({ session: session.id }).toString();
  return leave(session, `/oauth/consent?${query}`, reply);
}

/** Redirects after a form. */
export function leave(session: Session, address: string, reply: FastifyReply): FastifyReply {
  return reply.headers(screenHeaders(session.redirectUri)).redirect(address, 303);
}
