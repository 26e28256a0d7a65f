import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { KeyForm, SessionParameters } from '../../../schemas/connector/sign-in.js';
import { leave, openSession, refuse, show, signIn } from '../../connector/answers.js';
import { isCrossSite } from '../../connector/guards.js';
import { isOwnComputer, RedirectUri } from '../../connector/redirect-uri.js';
import { consentScreen, keyScreen, loginScreen, messageScreen } from '../../connector/screens.js';
import { settle, type Session } from '../../connector/sessions.js';
import { demandPart } from '../../connector/validation.js';
import type { Sandbox } from '../../sandbox.js';
import { ssoRoutes } from './oauth-sso.js';
import { trialRoutes } from './oauth-trial.js';

/** Parameters with which a program on the person's computer begins a sign-in. The reference does not show them. */
const BeginQuery = z.object({
  session: z.string(),
  redirect_uri: RedirectUri.refine(isOwnComputer),
  state: z.string().max(500).nullable().default(null),
});

/**
 * Routes of the sign-in: login; then SSO, trial or API key (an API key is meant for tools only); then consent. The
 * reference does not show where a session begins. Here, the control route `POST /_sandbox/oauth/sessions` creates it.
 * `GET /oauth/login` also creates one if its `redirect_uri` is on the person's own computer.
 */
export function oauthRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST' || !request.url.startsWith('/oauth') || !isCrossSite(request)) return;
    return refuse(reply, 'This form was sent by another site.');
  });

  app.get('/oauth/login', (request, reply) => {
    const { session: id } = demandPart(SessionParameters, 'query', request.query);
    const begin = BeginQuery.safeParse(request.query).data;
    if (begin) sandbox.sessions.begin(id, begin.redirect_uri, begin.state, Date.now());
    const session = openSession(sandbox.sessions, id, request, reply);
    return session ? show(reply, session, loginScreen(session, null)) : reply;
  });

  app.post('/oauth/login', (request, reply) => {
    const form = demandPart(KeyForm, 'body', request.body);
    const session = openSession(sandbox.sessions, form.session, request, reply);
    if (!session) return reply;
    if (!sandbox.keys.find(form.api_key)) {
      return show(reply.code(401), session, messageScreen('Sign in', 'This API key is not valid.'));
    }
    return signIn(session, 'the holder of the API key', reply);
  });

  ssoRoutes(app, sandbox);
  trialRoutes(app, sandbox);

  app.get('/oauth/consent', (request, reply) => {
    const { session: id } = demandPart(SessionParameters, 'query', request.query);
    const session = openSession(sandbox.sessions, id, request, reply);
    if (!session) return reply;
    if (session.state !== 'authenticated') return refuse(reply, 'Nobody is signed in yet.');
    return show(reply, session, consentScreen(session));
  });

  app.post('/oauth/consent', (request, reply) => {
    const { session: id } = demandPart(SessionParameters, 'body', request.body);
    const session = openSession(sandbox.sessions, id, request, reply);
    if (!session) return reply;
    if (session.state !== 'authenticated') return refuse(reply, 'Nobody is signed in yet.');
    if (session.getsKey) return grantKey(session, sandbox, reply);
    return end(session, 'granted', reply);
  });

  // A person can refuse access without signing in.
  app.post('/oauth/deny', (request, reply) => {
    const { session: id } = demandPart(SessionParameters, 'body', request.body);
    const session = openSession(sandbox.sessions, id, request, reply);
    return session ? end(session, 'denied', reply) : reply;
  });
}

/** Ends the session and gives the sandbox's API key to the client. */
function grantKey(session: Session, { options }: Sandbox, reply: FastifyReply): FastifyReply {
  settle(session, 'granted');
  return show(reply, session, keyScreen(session, options.key));
}

/** Ends the session. Redirects to the client with the result. If the client gave no address, shows a last page. */
function end(session: Session, outcome: 'granted' | 'denied', reply: FastifyReply): FastifyReply {
  const address = settle(session, outcome);
  if (address !== null) return leave(session, address, reply);
  const words = outcome === 'granted' ? 'Access is granted. You can close this page.' : 'Access is denied.';
  return show(reply, session, messageScreen('Done', words));
}
