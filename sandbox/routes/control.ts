import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isLoopback } from '../http/auth.js';
import { screenHeaders } from '../connector/guards.js';
import { RedirectUri } from '../connector/redirect-uri.js';
import { Refusal } from '../http/errors.js';
import { FaultRequest } from '../faults/faults.js';
import { PERMISSION_NAMES } from '../http/permissions.js';
import type { Sandbox } from '../sandbox.js';
import { bodyOf, check, isObject } from '../http/validate.js';
import { truthRoutes } from './truth.js';

const DayRequest = z
  .union([
    z.strictObject({ advance: z.int().min(-3650).max(3650) }),
    z.strictObject({ day: z.int().min(-3650).max(3650) }),
  ])
  .describe('{"advance": 1} or {"day": 3}');
const SessionRequest = z.strictObject({
  client: z.string().min(1).max(100).default('An assistant'),
  /** Address that receives the result of the sign-in; null if there is none. */
  redirect_uri: RedirectUri.nullable().default(null),
  state: z.string().max(500).nullable().default(null),
});
const QuotaRequest = z.strictObject({
  dailyLimit: z.int().min(0).optional(),
  used: z.int().min(0).optional(),
});

const JobsRequest = z.strictObject({ advanceSeconds: z.int().min(0).max(31_536_000) });

const KeyRequest = z.strictObject({
  key: z.string().regex(/^[\x21-\x7e]+$/, 'Expected characters that a header can carry, no spaces.'),
  /** Permissions that the API key gets; null removes the key. */
  permissions: z.union([z.literal('all'), z.array(z.enum(PERMISSION_NAMES))]).nullable(),
});

/**
 * Control routes under `/_sandbox`. They are not part of the API. By default they answer only requests from the same
 * machine. They refuse requests with an `Origin` header, so that no web page can use them: browsers add `Origin` to
 * every cross-site POST.
 */
export function controlRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const local = sandbox.options.openControls || isLoopback(request.socket.remoteAddress);
    const refused = !local || request.headers.origin !== undefined;
    done(
      refused ? new Refusal(403, { detail: 'The control routes answer only requests from this machine.' }) : undefined,
    );
  });

  app.get('/_sandbox/state', () => state(sandbox));
  app.post('/_sandbox/day', (request) => {
    const wanted = read(DayRequest, request.body);
    sandbox.moveTo('day' in wanted ? wanted.day : sandbox.day + wanted.advance);
    return state(sandbox);
  });

  truthRoutes(app, sandbox);

  app.get('/metrics', async (_request, reply) => {
    const { writeMetrics, OPENMETRICS } = await import('../http/metrics.js');
    return reply.type(OPENMETRICS).send(await writeMetrics(sandbox.requests.report(), sandbox.quota));
  });
  app.get('/_sandbox/requests', () => sandbox.requests.report());
  app.delete('/_sandbox/requests', () => {
    sandbox.requests.clear();
    return sandbox.requests.report();
  });

  app.post('/_sandbox/oauth/sessions', (request, reply) => {
    const { client, redirect_uri, state: clientState } = read(SessionRequest, bodyOf(request));
    const session = sandbox.sessions.create(client, redirect_uri, clientState, Date.now());
    return reply.code(201).send({ session: session.id, login: `/oauth/login?session=${session.id}` });
  });
  app.get('/_sandbox/oauth/sessions/:id', (request) => {
    const session = sandbox.sessions.get((request.params as { id: string }).id, Date.now());
    if (!session) throw new Refusal(404, { detail: 'Not found.' });
    const { state: where, person, code } = session;
    return { session: session.id, state: where, person, code };
  });
  app.get('/_sandbox/outbox', async (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) return sandbox.outbox.list();
    return reply.headers(screenHeaders(null)).type('text/html; charset=utf-8').send(sandbox.outbox.screen());
  });

  app.get('/_sandbox/deliveries', () => sandbox.webhooks.list());

  app.get('/_sandbox/faults', () => sandbox.faults.list());
  app.post('/_sandbox/faults', (request) => {
    if (!isObject(request.body)) throw new Refusal(400, { body: ['Expected an object.'] });
    return sandbox.faults.add(read(FaultRequest, request.body));
  });
  app.delete('/_sandbox/faults', () => {
    sandbox.faults.clear();
    return [];
  });

  app.get('/_sandbox/keys', () => sandbox.keys.list());
  app.post('/_sandbox/keys', (request) => {
    const { key, permissions } = read(KeyRequest, request.body);
    if (permissions !== null) sandbox.keys.set({ key, permissions });
    else if (!sandbox.keys.remove(key)) throw new Refusal(404, { detail: 'There is no such key.' });
    return sandbox.keys.list();
  });

  app.get('/_sandbox/jobs', () => ({ started: sandbox.jobs.started }));
  app.post('/_sandbox/jobs', (request) => {
    const { advanceSeconds } = read(JobsRequest, request.body);
    sandbox.jobs.advance(advanceSeconds * 1_000);
    return { advanceSeconds };
  });

  app.post('/_sandbox/quota', (request) => {
    const { dailyLimit, used } = read(QuotaRequest, request.body);
    if (dailyLimit !== undefined) sandbox.quota.dailyLimit = dailyLimit;
    if (used !== undefined) sandbox.quota.usedToday = used;
    return sandbox.quota.report();
  });
}

function read<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const checked = check(schema, body);
  if (!checked.ok) throw new Refusal(400, checked.fields);
  return checked.value;
}

function state(sandbox: Sandbox): Record<string, unknown> {
  const { companies, tenders, seed } = sandbox.options;
  return {
    day: sandbox.day,
    date: sandbox.date,
    companies: sandbox.world.matchingIndices({}, sandbox.day).length,
    tenders: sandbox.world.tenders(sandbox.day).length,
    watched: sandbox.watches.list().length,
    started: { companies, tenders, seed, date: sandbox.options.date },
    quota: { dailyLimit: sandbox.quota.dailyLimit, used: sandbox.quota.usedToday },
  };
}
