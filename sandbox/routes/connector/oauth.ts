import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { holdsKey } from '../../auth.js';
import { claimSession, holdsSession, isCrossSite, screenHeaders } from '../../connector/guards.js';
import {
  KeyForm,
  SessionParameters,
  SsoCallbackQuery,
  TrialParameters,
  VerifyForm,
} from '../../../schemas/connector/sign-in.js';
import {
  codeScreen,
  consentScreen,
  identityScreen,
  loginScreen,
  messageScreen,
  trialScreen,
} from '../../connector/screens.js';
import { authenticate, settle, startTrial, token, tryCode, type Session } from '../../connector/sessions.js';
import { demandPart } from '../../connector/validation.js';
import type { Sandbox } from '../../sandbox.js';

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,190}\.[^\s@<>"]{2,}$/;

/**
 * The sign-in flow: login, then SSO, trial or (tools only) an API key, then consent. Each session is made by the control
 * `POST /_sandbox/oauth/sessions`, since the reference does not show where one begins.
 */
export function oauthRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST' || !isCrossSite(request)) return;
    return show(reply.code(403), null, messageScreen('Refused', 'This form was sent by another site.'));
  });

  app.get('/oauth/login', (request, reply) => {
    const session = open(sandbox, request, reply);
    return session && show(reply, session, loginScreen(session.id, session.client));
  });

  app.post('/oauth/login', (request, reply) => {
    const form = demandPart(KeyForm, 'body', request.body);
    const session = held(sandbox, request, reply, form.session);
    if (!session) return reply;
    if (!holdsKey(form.api_key, sandbox.options.key)) {
      return show(reply.code(401), session, messageScreen('Sign in', 'This API key is not valid.'));
    }
    authenticate(session, 'the holder of the API key');
    return toConsent(reply, session);
  });

  app.get('/oauth/sso/start', (request, reply) => {
    const session = open(sandbox, request, reply);
    if (!session) return reply;
    session.ssoState = token();
    return show(reply, session, identityScreen(session.ssoState));
  });

  app.get('/oauth/sso/callback', (request, reply) => {
    const { code, state, error } = demandPart(SsoCallbackQuery, 'query', request.query);
    const session = sandbox.sessions.takeSsoState(state, Date.now());
    if (!session || !holdsSession(session, request)) return unknown(reply);
    if (error !== '' || code === '') {
      return show(reply, session, loginScreen(session.id, session.client));
    }
    authenticate(session, 'analyst@company.example');
    return toConsent(reply, session);
  });

  app.get('/oauth/trial', (request, reply) => {
    const { email } = demandPart(TrialParameters, 'query', request.query);
    const session = open(sandbox, request, reply);
    return session && show(reply, session, trialScreen(session.id, email, null));
  });

  app.post('/oauth/trial', (request, reply) => {
    const form = demandPart(TrialParameters, 'body', request.body);
    const session = held(sandbox, request, reply, form.session);
    if (!session) return reply;
    const email = form.email.trim().toLowerCase();
    if (!EMAIL.test(email))
      return show(reply, session, trialScreen(session.id, form.email, 'Enter an e-mail address.'));
    const code = startTrial(session, email, Date.now());
    sandbox.outbox.send(email, 'Your trial code', `Your code is ${code}. It is valid for ten minutes.`);
    return show(reply, session, codeScreen(session.id, email, null));
  });

  app.post('/oauth/trial/verify', (request, reply) => {
    const form = demandPart(VerifyForm, 'body', request.body);
    const session = held(sandbox, request, reply, form.session);
    if (!session) return reply;
    const wrong = tryCode(session, form.email, form.code, Date.now());
    if (wrong !== null) return show(reply, session, codeScreen(session.id, form.email, wrong));
    authenticate(session, form.email.trim().toLowerCase());
    return toConsent(reply, session);
  });

  app.get('/oauth/consent', (request, reply) => {
    const session = open(sandbox, request, reply);
    if (!session) return reply;
    if (session.state !== 'authenticated') return notSignedIn(reply, session);
    return show(reply, session, consentScreen(session.id, session.client, session.person ?? ''));
  });

  for (const [path, outcome] of [
    ['/oauth/consent', 'granted'],
    ['/oauth/deny', 'denied'],
  ] as const) {
    app.post(path, (request, reply) => {
      const { session: id } = demandPart(SessionParameters, 'body', request.body);
      const session = held(sandbox, request, reply, id);
      if (!session) return reply;
      // Refusing needs no sign-in; an outcome is final.
      const settled = session.state === 'granted' || session.state === 'denied';
      if (settled || (outcome === 'granted' && session.state !== 'authenticated')) return notSignedIn(reply, session);
      const address = settle(session, outcome);
      if (address !== null) return reply.headers(screenHeaders(session.redirectUri)).redirect(address, 303);
      const words = outcome === 'granted' ? 'Access is granted. You can close this page.' : 'Access is denied.';
      return show(reply, session, messageScreen('Done', words));
    });
  }
}

/** The session a screen is opened for; answers by itself when there is none or another browser has it. */
function open(sandbox: Sandbox, request: FastifyRequest, reply: FastifyReply): Session | undefined {
  const { session: id } = demandPart(SessionParameters, 'query', request.query);
  const session = sandbox.sessions.get(id, Date.now());
  if (session && claimSession(session, request, reply)) return session;
  void unknown(reply);
  return undefined;
}

/** The session a form acts on. */
function held(sandbox: Sandbox, request: FastifyRequest, reply: FastifyReply, id: string): Session | undefined {
  const session = sandbox.sessions.get(id, Date.now());
  if (session && holdsSession(session, request)) return session;
  void unknown(reply);
  return undefined;
}

function unknown(reply: FastifyReply): FastifyReply {
  const text = 'This sign-in is unknown, over its time, or was begun in another browser. Start again.';
  return show(reply.code(403), null, messageScreen('Cannot go on', text));
}

function notSignedIn(reply: FastifyReply, session: Session): FastifyReply {
  return show(
    reply.code(403),
    session,
    messageScreen('Cannot go on', 'Nobody is signed in, or this was already answered.'),
  );
}

function toConsent(reply: FastifyReply, session: Session): FastifyReply {
  const query = new URLSearchParams({ session: session.id }).toString();
  return reply.headers(screenHeaders(session.redirectUri)).redirect(`/oauth/consent?${query}`, 303);
}

function show(reply: FastifyReply, session: Session | null, html: string): FastifyReply {
  return reply
    .headers(screenHeaders(session?.redirectUri ?? null))
    .type('text/html; charset=utf-8')
    .send(html);
}
