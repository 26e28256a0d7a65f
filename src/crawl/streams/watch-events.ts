import { eventsWithoutPeople } from '../../privacy/events.js';
import type { Fetcher } from '../records/fetcher.js';
import { completeListings, readPages } from '../records/read-pages.js';

// Page size to request. The API may return fewer events (docs/assumptions.md, `per_page`).
const EVENTS_PER_PAGE = 100;

/** Fetches the events of a watched company on the run's days. */
export const watchEvents: Fetcher = {
  withoutPersonalData: eventsWithoutPeople,
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
};
