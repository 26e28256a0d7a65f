import { formatCount } from '../../../schemas/format.js';
import { eventsWithoutPeople } from '../../privacy/events.js';
import type { Fetcher } from '../records/fetcher.js';
import { MOST_PAGES, readPages } from '../records/read-pages.js';

// Page size to request. The API may return fewer events (docs/assumptions.md, `per_page`).
const EVENTS_PER_PAGE = 100;

/** Fetches the events of a watched company on the run's days. */
export const watchEvents: Fetcher = {
  withoutPersonalData: eventsWithoutPeople,
  async fetch(id, { client, ctx, signal, page }) {
    const { reported, isEmpty } = await readPages((number) => {
      const query = { from_date: ctx.from, to_date: ctx.to, page: number, per_page: EVENTS_PER_PAGE };
      return page(number, () => client.v2.watch.events(id, query, { signal }));
    });
    if (isEmpty || reported <= MOST_PAGES) return null;
    return `The API reports ${formatCount(reported)} pages of watch events for company ${id}. The run read the first ${formatCount(MOST_PAGES)}. Run \`tidemark backfill\` for fewer days at a time to read the rest.`;
  },
};
