import { expect, it } from 'vitest';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import type { ApiClient } from '../../../../src/api/index.js';
import { isLastRow, type FetchPlace } from '../../../../src/crawl/records/fetcher.js';
import { watchEvents } from '../../../../src/crawl/streams/watch-events.js';
import { Routes } from '../../../../src/crawl/judge/routes.js';
import type { NewRow } from '../../../../src/landing/index.js';

/** Fetches the events of company 7 from an API that has `full` pages, and reports `pages`. */
async function fetchEvents(full: number, pages: number | null): Promise<NewRow[]> {
  const events = (_id: string, { page }: { page: number }) => {
    const data = { data: page <= full ? [{ field: 'name' }] : [], pages };
    return Promise.resolve({ data, body: JSON.stringify(data), requestKey: `GET ?page=${page}`, status: 200 });
  };
  const client = { v2: { watch: { events } } } as unknown as ApiClient;
  const ctx = { from: '2026-11-20', to: '2026-11-20' } as RunContext;
  const rows: NewRow[] = [];
  const signal = new AbortController().signal;
  for await (const row of watchEvents.fetch(client, ctx, '7', signal, new Routes([]), {} as FetchPlace)) rows.push(row);
  return rows;
}

it.each([
  ['reads all pages', 3, 3, 3],
  ['ends at an empty page', 2, 9, 3],
  ['reads one page if the API reports no number of pages', 1, null, 1],
])('%s', async (_title, full, pages, read) => {
  const rows = await fetchEvents(full, pages);
  expect(rows).toHaveLength(read);
  expect(rows.map(isLastRow)).toEqual(rows.map((_, i) => i === read - 1));
});

it('names the pages beyond the first 1,000', async () => {
  const rows = await fetchEvents(1_200, 1_200);
  expect(rows.map(({ row_kind }) => row_kind).slice(-2)).toEqual(['page-1000', 'last-page']);
  expect(rows.filter(({ status }) => status === 0).map(({ body }) => body)).toEqual([
    'The API reports 1,200 pages of watch events for company 7. The run read the first 1,000. Run `tidemark backfill` for fewer days at a time to read the rest.',
  ]);
});
