import { createHash } from 'node:crypto';
import type { ListInput, ListResult, PagedListing } from '../../../schemas/pipeline/activities.js';
import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { ApiResponse } from '../../api/index.js';
import { faultOf, isUsable, keysOf, readItems } from '../../base/company-id.js';
import type { JsonNode } from '../../base/json/json-nodes.js';
import {
  finishListing,
  ListingWriter,
  PartWriter,
  pullManifests,
  readManifests,
  takeRows,
} from '../../landing/index.js';
import { isRecord, rowOf, rowOfError } from '../records/answer.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { askOne, compareWith, sinceScheduled } from '../attempt/ask-each.js';
import { landAttempt } from '../attempt/land-attempt.js';
import { partOf } from '../records/land-records.js';
import { kindOf } from '../judge/kinds.js';
import { refusalOf } from '../judge/refusal.js';
import { readCount } from '../records/read-count.js';
import { askLargest } from '../../api/page-sizes.js';
import { formatCount } from '../../../schemas/format.js';

/** The result of a listing of which this attempt read nothing. */
export const NOT_READ: ListResult = { rows: 0, requests: 0, entities: 0, limited: false, shortfall: null };
// Of a listing with a total, read at most GROWTH × the pages that the total needs, plus SPARE_PAGES. The listing may
// grow while the run reads it.
const GROWTH = 1.1;
const SPARE_PAGES = 10;
// Read at most this many pages, if the listing gives no total or an absurdly high one. With 100 entries per page, this
// is 10 million entries.
const MOST_PAGES = 100_000;

type PagedInput = ListInput & { listing: PagedListing };

/**
 * Reads a listing page by page and lands every page. Sends no request if an earlier attempt of this run has finished the
 * listing. A later attempt reads the listing again from its start, because its pages belong together. The daily limit
 * and a refusal of the first page are results; all other errors are thrown.
 */
export async function readListing(deps: CrawlDeps, input: PagedInput, heartbeat: Heartbeat): Promise<ListResult> {
  const { ctx, listing } = input;
  const target = partOf(deps, ctx, listing, listing);
  if ((await PartWriter.committed(target)) || (await finishListing(target))) return readLanded(deps, input);
  const writer = await ListingWriter.open(target);
  const ended = await landAttempt({ deps, ctx, heartbeat }, target, writer, async () =>
    readPages(deps, input, writer, heartbeat),
  );
  const { rows, requests } = ended;
  const counts = { ...NOT_READ, rows, requests };
  switch (ended.how) {
    case 'limited':
      return { ...counts, limited: true };
    case 'closed':
      return { ...counts, refused: [refusalOf(listing, ended.error)] };
    case 'done':
      return { ...counts, ...ended.result };
  }
}

/** Returns what an attempt would have reported that read the listing, but was killed before: pages without an answer. */
async function readLanded({ data }: CrawlDeps, { ctx, listing }: PagedInput): Promise<ListResult> {
  await pullManifests(data, { streams: [listing], run: ctx });
  const silent: number[] = [];
  // A long listing has more parts than the memory holds.
  for (const part of readManifests(data.dataDir, { stream: listing, run: ctx.run }))
    for (const row of await takeRows(data, part))
      if (!isRecord(row)) silent.push(Number(row.row_kind.replace('page-', '')));
  return { ...NOT_READ, shortfall: shortfallOf(listing.replaceAll('_', ' '), 0, null, silent) };
}

interface Page {
  response: ApiResponse<unknown>;
  ids: string[];
  /** Those of the ids that the warehouse cannot hold. */
  unusable: string[];
  /** Number of entries that the listing reports; null when it reports none. */
  total: number | null;
}

/** Requests one page of a listing. */
type ReadPage = (
  { client }: CrawlDeps,
  page: number,
  filters: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Page>;

const readers: Record<PagedListing, ReadPage> = {
  // Sort by date, newest first. A new tender then moves older tenders to later pages. So the run may read a tender
  // twice, but it misses none.
  async tenders({ client }, page, filters, signal) {
    const query = { page, sort: { announced_date: 'desc' } as const, filters };
    const response = await askLargest(client.v1.tenders, query, { signal });
    const ids = readItems(response.body).flatMap(slugOf);
    return { response, ids, unusable: [], total: readCount(response.data.total_results) };
  },

  async watched_companies({ client }, page, _filters, signal) {
    const response = await askLargest(client.v2.watch.list, { page }, { signal });
    const ids = keysOf(readItems(response.body));
    const unusable = ids.filter((key) => !isUsable(key));
    return { response, ids, unusable, total: readCount(response.data.total_results) };
  },
};

/** Reads the slug of a tender as the warehouse does: also from a tender with an unusable field. */
function slugOf(tender: JsonNode): string[] {
  const slug = tender.kind === 'object' && !tender.repeats ? tender.members.get('slug') : undefined;
  const text = slug?.kind === 'string' ? slug.value.trim() : slug?.kind === 'number' ? slug.text : '';
  return text === '' ? [] : [text];
}

/**
 * Reads pages until the listing's total is reached, or until a page has no new entries. If the API never answers a
 * certain page but answers other requests, lands an error for this page and reads on. The shortfall names these pages.
 */
async function readPages(
  deps: CrawlDeps,
  { ctx, listing }: PagedInput,
  writer: ListingWriter,
  heartbeat: Heartbeat,
): Promise<Pick<ListResult, 'entities' | 'shortfall' | 'refused'>> {
  const what = listing.replaceAll('_', ' ');
  const unusable = new Set<string>();
  // Hashes of the ids, because a long listing has many.
  const seen = new Set<number>();
  const silent: number[] = [];
  let refused: Refusal[] | null = null;
  let tooLong: string | null = null;
  let total: number | null = null;
  // The first total limits the number of pages. Later totals do not, because an API may raise its total with every
  // page.
  let firstTotal: number | null = null;
  // Number of entries on the first page. The API may return fewer entries than requested.
  let perPage = 0;
  const read = (page: number): Promise<Page> => readers[listing](deps, page, ctx.filters, heartbeat.signal);
  for (let number = 1; ; number++) {
    const answer = await askOne(
      deps,
      heartbeat,
      number === 1
        ? { of: 'first page', send: () => read(1), silentMs: () => sinceScheduled(heartbeat) }
        : { of: 'page', send: () => read(number), other: () => compareWith(() => read(1)) },
    );
    if ('error' in answer) {
      const kind = kindOf(answer.error);
      await writer.append(rowOfError(answer.error, null, `page-${number}`));
      silent.push(number);
      if (kind === 'refused') refused = [refusalOf(listing, answer.error)];
      // Without a total, nothing shows whether more pages follow the page without an answer. So stop here. If the API
      // rejects or refuses a page, it does the same with further pages.
      if (total === null || number * perPage >= total || kind === 'invalid' || kind === 'refused') break;
      continue;
    }
    const page = answer.result;
    await writer.append(rowOf(page.response, null, `page-${number}`));
    const before = seen.size;
    for (const id of page.ids) seen.add(hashOf(id));
    for (const id of page.unusable) unusable.add(id);
    total = page.total ?? total;
    firstTotal ??= page.total;
    perPage ||= page.ids.length;
    heartbeat.report({ step: what, done: seen.size, total, requests: number });
    if (seen.size === before) break;
    // If the total is reached but the page is full, read on: there may be more entries.
    if (total !== null && seen.size >= total && page.ids.length < perPage) break;
    // If a page is missing, the entries read never reach the total. Then stop at the last page that the total needs.
    if (silent.length > 0 && total !== null && number * perPage >= total) break;
    if (number >= mostPages(firstTotal, perPage)) {
      tooLong = endless(what, number, seen.size, firstTotal);
      break;
    }
  }
  const missing = total === null ? 0 : Math.max(0, total - seen.size);
  const shortfall = [tooLong ?? shortfallOf(what, missing, total, silent), unstorable(what, unusable)];
  return {
    entities: seen.size - unusable.size,
    shortfall: shortfall.filter((text) => text !== null).join(' ') || null,
    ...(refused && { refused }),
  };
}

/** Returns a number that stands for an id. 52 bits are enough to tell the ids of a listing apart. */
function hashOf(id: string): number {
  return Number.parseInt(createHash('sha1').update(id).digest('hex').slice(0, 13), 16);
}

/** Says that the warehouse cannot hold some ids; null if there are none. */
function unstorable(what: string, ids: ReadonlySet<string>): string | null {
  if (ids.size === 0) return null;
  const [example] = [...ids].map((key) => faultOf(key).example);
  return `The warehouse cannot store the ids of ${formatCount(ids.size)} ${what}, for example ${example}; ops.rejects lists them.`;
}

function mostPages(total: number | null, size: number): number {
  if (total === null) return MOST_PAGES;
  return Math.min(MOST_PAGES, Math.ceil((GROWTH * total) / size) + SPARE_PAGES);
}

function endless(what: string, pages: number, seen: number, total: number | null): string {
  const claimed = total === null ? 'gave no total' : `gave a total of ${formatCount(total)}`;
  return `The API's listing of ${what} ${claimed}, but page ${formatCount(pages)} still had new entries. The run stopped after ${formatCount(seen)} entries. Ask the API's operator.`;
}

function shortfallOf(what: string, missing: number, total: number | null, silent: number[]): string | null {
  if (silent.length > 0) {
    const pages = `${silent.length === 1 ? 'page' : 'pages'} ${silent.join(', ')}`;
    return `The API did not answer for ${pages} of the ${what}${total === null ? '' : `: ${formatCount(missing)} of ${formatCount(total)} are missing`}. The next run tries again.`;
  }
  return missing > 0
    ? `The API counts ${formatCount(total ?? 0)} ${what}, but ${formatCount(missing)} of them are on no page.`
    : null;
}
