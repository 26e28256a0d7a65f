import { expect, it } from 'vitest';
import type { Fetching } from '../../../../src/crawl/records/fetcher.js';
import { watchEvents } from '../../../../src/crawl/streams/watch-events.js';

/** Fetches the events of company 7 from an API that has `full` pages, and reports `pages`. */
async function fetchEvents(full: number, pages: number | null) {
  const asked: (string | number)[] = [];
  const fetching = {
    client: { v2: { watch: { events: (_id: string, query: object) => Promise.resolve(query) } } },
    ctx: { from: '2026-11-20', to: '2026-11-20' },
    page: async (number: number, request: () => Promise<unknown>) => {
      asked.push(number);
      expect(await request()).toMatchObject({ page: number, from_date: '2026-11-20', to_date: '2026-11-20' });
      return { body: JSON.stringify({ data: number <= full ? [{ field: 'name' }] : [], pages }) };
    },
  };
  const gap = await watchEvents.fetch('7', fetching as unknown as Fetching);
  return { asked, gap };
}

it.each([
  ['reads all pages', 3, 3, [1, 2, 3]],
  ['ends at an empty page', 2, 9, [1, 2, 3]],
  ['reads one page if the API reports no number of pages', 1, null, [1]],
])('%s', async (_title, full, pages, read) => {
  expect(await fetchEvents(full, pages)).toEqual({ asked: read, gap: null });
});

it('names the pages beyond the first 1,000', async () => {
  const { asked, gap } = await fetchEvents(1_200, 1_200);
  expect(asked).toHaveLength(1_000);
  expect(gap).toBe(
    'The API reports 1,200 pages of watch events for company 7. The run read the first 1,000. Run `tidemark backfill` for fewer days at a time to read the rest.',
  );
});
