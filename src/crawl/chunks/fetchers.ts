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
// Read at most this many pages of one company's events or people, even if the API reports more.
const MOST_PAGES = 1_000;
/** Status of the landed row that names the unread part of an entity. */
export const CUT_SHORT = 0;

export const fetchers: Record<FetchedStreamName, Fetcher> = {
  companies: oneRow((client, id, signal) => client.v2.company(id, { signal })),
  financials: oneRow((client, id, signal) => client.v2.financial(id, {}, { signal })),
  financials_v1: oneRow((client, id, signal) => client.v1.financial(id, { signal })),
  executives: {
    people: 'list',
    async *fetch(client, _ctx, id, signal) {
      yield* readPages(id, `executives of company ${id}`, '', async (page) => {
        const response = await askPage(client, async (per_page) =>
          client.v1.companyExecutives({ id, page, per_page }, { signal }),
        );
        return { response, rows: response.data.list.length, pages: response.data.pages };
      });
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
    async *fetch(client, ctx, id, signal) {
      const what = `watch events for company ${id}`;
      const todo = ' Run `tidemark backfill` for fewer days at a time to read the rest.';
      yield* readPages(id, what, todo, async (page) => {
        const query = { from_date: ctx.from, to_date: ctx.to, page, per_page: EVENTS_PER_PAGE };
        const response = await client.v2.watch.events(id, query, { signal });
        const { data, pages } = response.data;
        return { response, rows: data.length, pages: pages ?? page };
      });
    },
    finished: completeListings,
  },
};

/** One page of a listing, with the number of its rows and of all pages. */
interface ListedPage {
  response: ApiResponse<unknown>;
  rows: number;
  pages: number;
}

/**
 * Reads the pages of an entity's listing in order and marks the row of the last page. After an interruption, entities
 * without this mark are read again.
 * @param what the listing, for the row that names unread pages
 * @param todo how to read the unread pages: a sentence with a space before it, or nothing
 */
async function* readPages(
  id: string,
  what: string,
  todo: string,
  ask: (page: number) => Promise<ListedPage>,
): AsyncGenerator<NewRow> {
  for (let page = 1, last = 1; page <= last; page++) {
    const { response, rows, pages } = await ask(page);
    last = rows === 0 ? page : pages;
    yield rowOf(response, id, page >= last ? LAST_PAGE : `page-${page}`);
    if (page < MOST_PAGES || page >= last) continue;
    const words = `The API reports ${last.toLocaleString('en-US')} pages of ${what}. The run read the first ${page.toLocaleString('en-US')}.${todo}`;
    yield cutShort(response, id, words);
    return;
  }
}

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
function cutShort(response: ApiResponse<unknown>, id: string, words: string): NewRow {
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
