import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  WatchCallbackRequest,
  WatchEventsQuery,
  WatchFieldsRequest,
  WatchListQuery,
  WatchStartRequest,
  type WatchCallback,
  type WatchedCompany,
  type WatchEventsResponse,
  type WatchListResponse,
} from '../../../schemas/v2/watch.js';
import { pageOf } from '../../http/paging.js';
import type { Sandbox } from '../../sandbox.js';
import { bodyOf, readParameters } from '../../http/validate.js';
import type { Watch } from '../../state/watches.js';
import { currentName, listedEvent, watchedEvents } from '../../state/watch-events.js';
import { demand, demandPageSize, pathId } from './context.js';

const PARAMETERS = { numbers: ['page', 'per_page'], lists: ['fields'] };
/** Number of days before today from which events are listed, if the request has no `from_date`. */
const DEFAULT_LOOKBACK = 365;

/**
 * Routes of the reference's section "Watching". For three operations, the route lines and the sample calls of the
 * reference name different paths. The sandbox serves both:
 * - read the fields: GET `watch/fields` and GET `watch/stop`
 * - change the fields: PUT `watch/fields/add|remove` and PUT `watch/start/add|remove`
 */
export function watchRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.put('/companies/watch/callback', (request): WatchCallback => {
    const { callback } = demand(sandbox, WatchCallbackRequest, bodyOf(request));
    return sandbox.watches.setCallback(callback);
  });
  app.get('/companies/watch/callback', (): WatchCallback => {
    const { callback, secret } = sandbox.watches;
    return { callback, secret };
  });
  app.get('/companies/watch', (request) => listWatched(sandbox, request));
  app.post('/companies/:id/watch/start', async (request, reply) => {
    const id = knownId(sandbox, request);
    const { fields } = demand(sandbox, WatchStartRequest, bodyOf(request));
    const watch = sandbox.watches.start(id, fields, sandbox.date);
    return reply.code(201).send({ id: String(id), fields: watch.fields });
  });
  app.delete('/companies/:id/watch/stop', (request) => {
    const id = pathId(sandbox, request);
    if (!sandbox.watches.stop(id)) throw sandbox.errors.notFound('This company is not watched.');
    return { id: String(id) };
  });
  app.get('/companies/:id/watch/events', (request) => listEvents(sandbox, request));
  for (const path of ['/companies/:id/watch/fields', '/companies/:id/watch/stop']) {
    app.get(path, (request) => watchOf(sandbox, request).fields);
  }
  for (const base of ['fields', 'start']) {
    app.put(`/companies/:id/watch/${base}/add`, (request) => {
      const watch = watchOf(sandbox, request);
      const { fields } = demand(sandbox, WatchFieldsRequest, bodyOf(request));
      return (watch.fields = [...new Set([...watch.fields, ...fields])]);
    });
    app.put(`/companies/:id/watch/${base}/remove`, (request) => {
      const watch = watchOf(sandbox, request);
      const { fields } = demand(sandbox, WatchFieldsRequest, bodyOf(request));
      return (watch.fields = watch.fields.filter((field) => !(fields as string[]).includes(field)));
    });
  }
}

/**
 * Parses the company id in the path. The company must exist today or be watched, because a watched company may have
 * left the market.
 *
 * @throws Refusal with the "not found" body for any other id
 */
function knownId(sandbox: Sandbox, request: FastifyRequest): number {
  const id = pathId(sandbox, request);
  if (!sandbox.watches.get(id) && sandbox.world.company(id, sandbox.day) === undefined) throw sandbox.errors.notFound();
  return id;
}

function watchOf(sandbox: Sandbox, request: FastifyRequest): Watch {
  const watch = sandbox.watches.get(pathId(sandbox, request));
  if (watch === undefined) throw sandbox.errors.notFound('This company is not watched.');
  return watch;
}

function listWatched(sandbox: Sandbox, request: FastifyRequest): WatchListResponse {
  const query = demand(sandbox, WatchListQuery, readParameters(request.query, request.body, PARAMETERS));
  const wanted = query.fields?.map(currentName);
  const watches = sandbox.watches
    .list()
    .filter((watch) => query.date === undefined || watch.since === query.date)
    .filter((watch) => wanted === undefined || watch.fields.some((field) => wanted.includes(currentName(field))));
  const { from, to, pages } = pageOf(watches.length, query.page ?? 1, demandPageSize(sandbox, query.per_page));
  return {
    data: watches.slice(from, to).map((watch) => watchedCompany(sandbox, watch)),
    total_results: watches.length,
    pages,
  };
}

function watchedCompany(sandbox: Sandbox, watch: Watch): WatchedCompany {
  const company = sandbox.world.company(watch.id, sandbox.day);
  return {
    id: String(watch.id),
    name: company?.name ?? null,
    country_code: company?.country_code ?? null,
    registration_number: company?.registration_number ?? null,
    date: watch.since,
    fields: watch.fields,
  };
}

/**
 * Returns the events of a watched company on its watched fields, newest first. Includes events from before the start of
 * the watch, so that a backfill finds events.
 */
function listEvents(sandbox: Sandbox, request: FastifyRequest): WatchEventsResponse {
  const query = demand(sandbox, WatchEventsQuery, readParameters(request.query, request.body, PARAMETERS));
  const watch = watchOf(sandbox, request);
  const { world, day } = sandbox;
  const fromDay = query.from_date === undefined ? day - DEFAULT_LOOKBACK : world.dayOf(query.from_date)!;
  const toDay = query.to_date === undefined ? day : Math.min(day, world.dayOf(query.to_date)!);
  const wanted = query.fields === undefined ? undefined : new Set(query.fields.map(currentName));
  const events = watchedEvents(world, watch, fromDay, toDay)
    .filter(({ field }) => wanted === undefined || wanted.has(field))
    .toReversed();
  const { from, to, pages } = pageOf(events.length, query.page ?? 1, demandPageSize(sandbox, query.per_page));
  return { data: events.slice(from, to).map(listedEvent), total_results: events.length, pages };
}
