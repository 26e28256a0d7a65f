import { formatCount } from '../../../schemas/format.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient } from '../../api/index.js';
import type { NewRow } from '../../landing/index.js';
import { eventsWithoutPeople } from '../../privacy/events.js';
import { rowOf } from '../records/answer.js';
import type { Fetcher } from '../records/fetcher.js';
import { markLast, MOST_PAGES } from '../records/read-pages.js';

// Page size to request. The API may return fewer events (docs/assumptions.md, `per_page`).
const EVENTS_PER_PAGE = 100;

/** Fetches the events of a watched company on the run's days. */
export const watchEvents: Fetcher = {
  withoutPersonalData: eventsWithoutPeople,
  fetch: (client, ctx, id, signal) => markLast([], readEvents(client, ctx, id, signal)),
};

/** Yields the pages in order. Returns a sentence about unread pages; null if there are none. */
async function* readEvents(
  client: ApiClient,
  ctx: RunContext,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<NewRow, string | null> {
  for (let page = 1, last = 1; page <= last; page++) {
    if (page > MOST_PAGES)
      return `The API reports ${formatCount(last)} pages of watch events for company ${id}. The run read the first ${formatCount(MOST_PAGES)}. Run \`tidemark backfill\` for fewer days at a time to read the rest.`;
    const query = { from_date: ctx.from, to_date: ctx.to, page, per_page: EVENTS_PER_PAGE };
    const response = await client.v2.watch.events(id, query, { signal });
    yield rowOf(response, id, `page-${page}`);
    const { data, pages } = response.data;
    last = data.length === 0 ? page : (pages ?? page);
  }
  return null;
}
