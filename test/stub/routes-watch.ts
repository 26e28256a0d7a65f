import { invalid, notFound, pageOf } from './answers.js';
import { writeId } from './companies.js';
import { writeListed } from './events.js';
import { canonical } from './routes-v2.js';
import type { Answer, Asked, StubState } from './state.js';

const WATCHED_SINCE = '2026-01-05';

/** The watch routes; undefined for others. */
export function answerWatch(state: StubState, asked: Asked): Answer | undefined {
  const { method, path, body } = asked;
  if (path === '/v2/companies/watch/callback') return callback(state, asked);
  if (path === '/v2/companies/watch') return watched(state, asked);
  const [, id, action] = /^\/v2\/companies\/([^/]+)\/watch\/(.+)$/.exec(path) ?? [];
  if (id === undefined || action === undefined) return undefined;
  const company = state.byId.get(canonical(id));
  if (company === undefined) return notFound(state);
  const fields = Array.isArray(body['fields']) ? body['fields'].map(String) : [];
  const own = state.watches.get(company.id);
  switch (`${method} ${action}`) {
    case 'POST start':
      state.watches.set(company.id, new Set([...(own ?? []), ...fields]));
      return { status: 201, body: {} };
    case 'DELETE stop':
      return state.watches.delete(company.id) ? { status: 200, body: {} } : notFound(state);
    case 'PUT fields/add':
      for (const field of fields) own?.add(field);
      return own ? { status: 200, body: [...own] } : notFound(state);
    case 'PUT fields/remove':
      for (const field of fields) own?.delete(field);
      return own ? { status: 200, body: [...own] } : notFound(state);
    case 'GET fields':
      return own ? { status: 200, body: [...own] } : notFound(state);
    case 'GET events':
      return events(state, company.id, asked);
    default:
      return notFound(state);
  }
}

function callback(state: StubState, { method, body }: Asked): Answer {
  if (method === 'PUT') state.callback = String(body['callback']);
  if (state.callback === null) return invalid(state, 'callback', 'None is set.');
  return { status: 200, body: { secret: state.secret, callback: state.callback } };
}

function watched(state: StubState, { query }: Asked): Answer {
  const rows = [...state.watches].flatMap(([id, fields]) => {
    const company = state.byId.get(id);
    return company ? [{ company, fields }] : [];
  });
  const page = pageOf(rows, sizeOf(query), state.options.page);
  if (page === null) return invalid(state, 'per_page', 'Too many.');
  const data = page.rows.map(({ company, fields }) => ({
    fields: [...fields],
    date: WATCHED_SINCE,
    name: company.name,
    id: writeId(company, state.options.ids, state.turn),
  }));
  return { status: 200, body: { pages: pagesOf(rows, page.size), total_results: String(rows.length), data } };
}

/** Oldest first. */
function events(state: StubState, id: string, { query }: Asked): Answer {
  const from = query.get('from_date') ?? '';
  const to = query.get('to_date') ?? '9999-12-31';
  const rows = state.events
    .filter(
      ({ companyId, at, listed }) => listed && companyId === id && at.slice(0, 10) >= from && at.slice(0, 10) <= to,
    )
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const page = pageOf(rows, sizeOf(query), state.options.page);
  if (page === null) return invalid(state, 'per_page', 'Too many.');
  const data = page.rows.map(writeListed);
  return { status: 200, body: { pages: pagesOf(rows, page.size), total_results: rows.length, data } };
}

function sizeOf(query: URLSearchParams): { page: unknown; per_page: unknown } {
  return { page: query.get('page') ?? 1, per_page: query.get('per_page') };
}

function pagesOf(rows: readonly unknown[], size: number): number {
  return Math.ceil(rows.length / size);
}
