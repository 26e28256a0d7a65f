import type { FastifyInstance } from 'fastify';
import { SessionParameters, SsoCallbackQuery } from '../../../schemas/connector/sign-in.js';
import { openSession, refuseUnknown, show, signIn } from '../../connector/answers.js';
import { holdsSession } from '../../connector/guards.js';
import { identityScreen, loginScreen } from '../../connector/screens.js';
import { token } from '../../connector/sessions.js';
import { demandPart } from '../../connector/validation.js';
import type { Sandbox } from '../../sandbox.js';

/** Routes for the sign-in by SSO. The sandbox also plays the sign-on service, which knows one person. */
export function ssoRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/oauth/sso/start', (request, reply) => {
    const { session: id } = demandPart(SessionParameters, 'query', request.query);
    const session = openSession(sandbox.sessions, id, request, reply);
    if (!session) return reply;
    session.ssoState = token();
    return show(reply, session, identityScreen(session.ssoState));
  });

  app.get('/oauth/sso/callback', (request, reply) => {
    const { code, state, error } = demandPart(SsoCallbackQuery, 'query', request.query);
    const found = sandbox.sessions.takeSsoState(state, Date.now());
    if (!found || !holdsSession(found, request)) return refuseUnknown(reply);
    const session = openSession(sandbox.sessions, found.id, request, reply);
    if (!session) return reply;
    if (error !== '' || code === '') return show(reply, session, loginScreen(session, explain(error)));
    return signIn(session, 'analyst@company.example', reply);
  });
}

/** Returns a sentence for the person that explains an error code of the sign-on service. */
function explain(error: string): string {
  if (error === 'access_denied') return 'You cancelled the sign-on.';
  const code = /^[\w.-]{1,60}$/.test(error) ? ` (${error})` : '';
  return `The sign-on service could not sign you in${code}. Try again, or choose another way.`;
}
