import { invalid, notFound, pageOf } from './answers.js';
import { writeId, writeRecord } from './companies.js';
import { writeReport } from './financials.js';
import { Digits } from './json.js';
import { search, type Filters } from './search.js';
import { answerSources } from './sources.js';
import type { Answer, Asked, StubState } from './state.js';

const LAST_PAGE = 10;

/** The version 2 routes except watching. */
export function answerV2(state: StubState, asked: Asked): Answer {
  const { path } = asked;
  if (path === '/v2/metrics') return { status: 200, body: metrics(state) };
  if (path === '/v2/prospecting') return prospecting(state, asked);
  const source = answerSources(state, asked);
  if (source !== null) return source;
  const [, kind, id] = /^\/v2\/(companies|financial)\/([^/]+)$/.exec(path) ?? [];
  if (kind === undefined || id === undefined) return notFound(state);
  const company = state.byId.get(canonical(decodeURIComponent(id)));
  if (company === undefined || company.gone) return notFound(state);
  const body = kind === 'financial' ? writeReport(company) : writeRecord(company, state.options.ids, state.turn);
  return { status: kind === 'financial' ? 203 : 200, body };
}

/** Digits without leading zeros; other text unchanged. */
export function canonical(id: string): string {
  return /^\d+$/.test(id) ? BigInt(id).toString() : id;
}

function metrics({ daily }: StubState): unknown {
  const total = daily.total === 0 ? null : String(daily.total);
  return [
    {
      metrics: [{ used: '3', total: '100', codename: 'emails', name: 'E-mails' }],
      codename: 'contacts',
      name: 'Contacts',
    },
    {
      metrics: [{ used: String(daily.used), total, codename: 'browsing_daily', name: 'Browsing a day' }],
      codename: 'usage_of_data',
      name: 'Usage of data',
    },
  ];
}

function prospecting(state: StubState, { body }: Asked): Answer {
  const { page: asked = 1, filters = {} } = body as { page?: unknown; filters?: Filters };
  const number = Number(asked);
  if (number > LAST_PAGE) return invalid(state, 'page', 'Ensure this value is less than or equal to 10.');
  if (state.broken(filters, number)) return { status: 500, body: { detail: 'Internal failure.' } };
  const found = search(state.companies, filters, state.options);
  if ('refused' in found) return invalid(state, found.refused, 'Not a valid value.');
  const page = pageOf(found, body, state.options.page);
  if (page === null) return invalid(state, 'per_page', 'Too many.');
  const told = tell(state, found.length);
  const pages = Math.ceil((Number.isFinite(Number(told)) ? Number(told) : found.length) / page.size);
  return {
    status: 201,
    body: {
      data: page.rows.map((company) => ({ name: company.name, id: writeId(company, state.options.ids, state.turn) })),
      total_pages: Math.min(LAST_PAGE, pages),
      total_companies: state.options.totals === 'huge' ? told : new Digits(told),
    },
  };
}

/** The total, as the option says. */
function tell({ options, turn }: StubState, count: number): string {
  if (count === 0) return '0';
  switch (options.totals) {
    case 'true':
      return String(count);
    case 'larger':
      return String(count + 9);
    case 'smaller':
      return String(Math.max(1, count - 45));
    case 'moving':
      return String(Math.max(1, count + ((turn * 5) % 11) - 5));
    case 'huge':
      return '9'.repeat(400);
  }
}
