import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { FetchedStreamName } from '../../../schemas/pipeline/streams.js';
import type { CompanyQuestion } from '../../../schemas/pipeline/resolve.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { InvalidRequestError, type ApiClient, type ApiResponse } from '../../api-client/index.js';
import { identify } from '../../resolve/identify.js';
import type { Routes } from '../../resolve/routes.js';
import type { NewRow } from '../../landing/index.js';
import { rowOf } from '../answer.js';

/** How to fetch the entities of one stream. */
export interface Fetcher {
  fetch(client: ApiClient, ctx: RunContext, entity: string, signal: AbortSignal, routes: Routes): AsyncIterable<NewRow>;
  /** Whether one entity may need several routes. The API may refuse some of these routes. */
  manyRoutes?: boolean;
  /** Name of the array of people in the body, for streams about people. */
  people?: string;
  /** Returns the entities that are complete, given the rows landed so far. */
  finished(rows: readonly LandedRow[]): Set<string>;
}

// Page size to request. The API may return fewer entries (docs/assumptions.md, `per_page`).
const EVENTS_PER_PAGE = 100;
const LAST_PAGE = 'last-page';
// Page sizes of people to try, in this order.
const PAGE_SIZES = [100, 50, 10] as const;
const pageSizes = new WeakMap<ApiClient, number>();
// Read at most this many pages of one company's people, even if the API reports more.
const MOST_PEOPLE_PAGES = 1_000;
// Read at most this many pages of one company's events (100,000 events), even if the API reports more.
const MOST_EVENT_PAGES = 1_000;
/** Status of the landed row that names the unread part of an entity. */
export const CUT_SHORT = 0;

export const fetchers: Record<FetchedStreamName, Fetcher> = {
  companies: oneRow((client, id, signal) => client.v2.company(id, { signal })),
  financials: oneRow((client, id, signal) => client.v2.financial(id, {}, { signal })),
  financials_v1: oneRow((client, id, signal) => client.v1.financial(id, { signal })),
  executives: {
    people: 'list',
    async *fetch(client, _ctx, id, signal) {
      for (let page = 1, pages = 1; page <= pages; page++) {
        const response = await askPage(client, async (per_page) =>
          client.v1.companyExecutives({ id, page, per_page }, { signal }),
        );
        pages = response.data.list.length === 0 ? page : response.data.pages;
        yield rowOf(response, id, page >= pages ? LAST_PAGE : `page-${page}`);
        if (page < MOST_PEOPLE_PAGES || page >= pages) continue;
        yield cutShort(response, id, `executives of company ${id}`, pages, page);
        return;
      }
    },
    finished: completeListings,
  },
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
        yield cutShort(response, id, `watch events for company ${id}`, pages, page);
        return;
      }
    },
    finished: completeListings,
  },
};

/** Returns the entities whose last page is landed. */
function completeListings(rows: readonly LandedRow[]): Set<string> {
  return new Set(rows.filter((row) => row.segment === LAST_PAGE).map((row) => row.entity_id ?? ''));
}

/** Requests a page with the largest page size that the API accepts. Remembers the size for the client. */
async function askPage<T>(client: ApiClient, ask: (perPage: number) => Promise<T>): Promise<T> {
  for (;;) {
    const size = pageSizes.get(client) ?? PAGE_SIZES[0];
    try {
      return await ask(size);
    } catch (error) {
      const smaller = PAGE_SIZES.find((other) => other < size);
      if (smaller === undefined || !(error instanceof InvalidRequestError && 'per_page' in error.fields)) throw error;
      if ((pageSizes.get(client) ?? PAGE_SIZES[0]) === size) pageSizes.set(client, smaller);
    }
  }
}

/** Makes a row that names the unread pages of a listing. The warehouse shows the row in ops.rejects. */
function cutShort(response: ApiResponse<unknown>, id: string, what: string, pages: number, read: number): NewRow {
  const words = `The API reports ${pages.toLocaleString('en-US')} pages of ${what}. The run read the first ${read.toLocaleString('en-US')}.${what.startsWith('watch') ? ' Run `tidemark backfill` for fewer days at a time to read the rest.' : ''}`;
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
