import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { FetchedStreamName } from '../../../schemas/pipeline/streams.js';
import type { CompanyQuestion } from '../../../schemas/pipeline/resolve.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse } from '../../api-client/index.js';
import { identify } from '../../resolve/identify.js';
import type { Routes } from '../../resolve/routes.js';
import type { NewRow } from '../../landing/index.js';
import { rowOf } from '../answer.js';

/** How to fetch the entities of one stream. */
export interface Fetcher {
  fetch(client: ApiClient, ctx: RunContext, entity: string, signal: AbortSignal, routes: Routes): AsyncIterable<NewRow>;
  /** Whether one entity may need several routes. The API may refuse some of these routes. */
  manyRoutes?: boolean;
  /** Returns the entities that are complete, given the rows landed so far. */
  finished(rows: readonly LandedRow[]): Set<string>;
}

// Page size to request. The API may return fewer entries (docs/assumptions.md, `per_page`).
const EVENTS_PER_PAGE = 100;
const LAST_PAGE = 'last-page';
// Read at most this many pages of one company's events (100,000 events), even if the API reports more.
const MOST_EVENT_PAGES = 1_000;
/** Status of the landed row that names the unread part of an entity. */
export const CUT_SHORT = 0;

export const fetchers: Record<FetchedStreamName, Fetcher> = {
  companies: oneRow((client, id, signal) => client.v2.company(id, { signal })),
  financials: oneRow((client, id, signal) => client.v2.financial(id, {}, { signal })),
  financials_v1: oneRow((client, id, signal) => client.v1.financial(id, { signal })),
  tender_details: oneRow((client, slug, signal) => client.v1.tenderDetails(slug, { signal })),
  matches: {
    manyRoutes: true,
    async *fetch(client, _ctx, question, signal, routes) {
      const { kind, response } = await identify(client, JSON.parse(question) as CompanyQuestion, signal, routes);
      yield rowOf(response, question, kind);
    },
    finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
  },
  watch_events: {
    // Read a company's pages in order and mark the row of the last page. After an interruption, companies without this
    // mark are read again.
    async *fetch(client, ctx, id, signal) {
      for (let page = 1, pages = 1; page <= pages; page++) {
        const query = { from_date: ctx.from, to_date: ctx.to, page, per_page: EVENTS_PER_PAGE };
        const response = await client.v2.watch.events(id, query, { signal });
        pages = response.data.data.length === 0 ? page : (response.data.pages ?? page);
        yield rowOf(response, id, page >= pages ? LAST_PAGE : `page-${page}`);
        if (page < MOST_EVENT_PAGES || page >= pages) continue;
        yield cutShort(response, id, pages);
        return;
      }
    },
    finished: (rows) => new Set(rows.filter((row) => row.segment === LAST_PAGE).map((row) => row.entity_id ?? '')),
  },
};

/** Makes a row that names the unread pages of a company's events. The row appears in ops.rejects. */
function cutShort(response: ApiResponse<unknown>, id: string, pages: number): NewRow {
  const words = `The API reports ${pages.toLocaleString('en-US')} pages of watch events for company ${id}. The run read the first ${MOST_EVENT_PAGES.toLocaleString('en-US')}. Run \`tidemark backfill\` for fewer days at a time to read the rest.`;
  return {
    request_key: `${response.requestKey} (pages behind it)`,
    entity_id: id,
    segment: LAST_PAGE,
    status: CUT_SHORT,
    fetched_at: response.fetchedAt,
    body: words,
  };
}

function oneRow(
  call: (client: ApiClient, entity: string, signal: AbortSignal) => Promise<ApiResponse<unknown>>,
): Fetcher {
  return {
    async *fetch(client, _ctx, entity, signal) {
      yield rowOf(await call(client, entity, signal), entity, 'record');
    },
    finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
  };
}
