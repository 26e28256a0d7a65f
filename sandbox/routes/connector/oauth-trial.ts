import type { FastifyInstance } from 'fastify';
import { TrialParameters, VerifyForm } from '../../../schemas/connector/sign-in.js';
import { openSession, show, signIn } from '../../connector/answers.js';
import { codeScreen, trialScreen } from '../../connector/screens.js';
import { startTrial, tryCode } from '../../connector/sessions.js';
import { demandPart } from '../../connector/validation.js';
import type { Sandbox } from '../../sandbox.js';

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,190}\.[^\s@<>"]{2,}$/;

/** Routes for a trial: ask for an e-mail address, then for the code that was mailed to it. */
export function trialRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/oauth/trial', (request, reply) => {
    const { session: id, email } = demandPart(TrialParameters, 'query', request.query);
    const session = openSession(sandbox.sessions, id, request, reply);
    return session ? show(reply, session, trialScreen(session.id, email, null)) : reply;
  });

  app.post('/oauth/trial', (request, reply) => {
    const form = demandPart(TrialParameters, 'body', request.body);
    const session = openSession(sandbox.sessions, form.session, request, reply);
    if (!session) return reply;
    const email = form.email.trim().toLowerCase();
    const again = (words: string): unknown => show(reply, session, trialScreen(session.id, form.email, words));
    if (!EMAIL.test(email)) return again('Enter an e-mail address.');
    const code = startTrial(session, email, Date.now());
    if (code === null) return again('Too many codes were requested. Start the sign-in again.');
    sandbox.outbox.send(email, 'Your trial code', `Your code is ${code}. It is valid for ten minutes.`);
    return show(reply, session, codeScreen(session.id, email, null));
  });

  app.post('/oauth/trial/verify', (request, reply) => {
    const form = demandPart(VerifyForm, 'body', request.body);
    const session = openSession(sandbox.sessions, form.session, request, reply);
    if (!session) return reply;
    const wrong = tryCode(session, form.email, form.code, Date.now());
    if (wrong !== null) return show(reply, session, codeScreen(session.id, form.email, wrong));
    return signIn(session, form.email.trim().toLowerCase(), reply);
  });
}
