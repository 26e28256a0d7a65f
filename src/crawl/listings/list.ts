import type { ListInput, ListResult } from '../../../schemas/pipeline/activities.js';
import type { Refusal } from '../../../schemas/pipeline/refusal.js';
import type { ApiResponse } from '../../api/index.js';
import { faultOf, isUsable, keysOf, readItems } from '../../base/company-id.js';
import type { JsonNode } from '../../base/json/json-nodes.js';
import { finishListing, ListingWriter, PartWriter, pullRows, type PartTarget } from '../../landing/index.js';
import { rowOf, rowOfError } from '../records/answer.js';
import { readContactMetrics } from './contact-metrics.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { askOne, compareWithKnown, sinceScheduled } from '../attempt/ask-each.js';
import { runAttempt } from '../attempt/run-attempt.js';
import { kindOf } from '../judge/kinds.js';
import { refusalOf } from '../judge/refusal.js';
import { readCount } from '../records/read-count.js';
import { PAGE_SIZES } from '../../api/page-sizes.js';
import { nomenclaturesAreFresh, readNomenclatures, type Counts } from './nomenclatures.js';
import { SeenIds } from './seen-ids.js';
import { formatCount } from '../../../schemas/format.js';

const NOTHING: ListResult = { rows: 0, requests: 0, entities: 0, limited: false, shortfall: null };
// Of a listing with a total, read at most GROWTH × the pages that the total needs, plus SPARE_PAGES. The listing may
// grow while the run reads it.
const GROWTH = 1.1;
const SPARE_PAGES = 10;
// Read at most this many pages, if the listing gives no total or an absurdly high one. With 100 entries per page, this
// is 10 million entries.
const MOST_PAGES = 100_000;

/**
 * Reads a whole listing and lands every page. Sends no request if an earlier attempt of this run has finished the
 * listing. Reads no nomenclatures if the configuration says `nomenclatures: false`, or if the landed ones are younger
 * than 7 days.
 * @returns counts; `limited` is true when the daily limit stopped the reading; `refused` describes the routes that the
 * API refuses
 */
export async function crawlListing(deps: CrawlDeps, input: ListInput, heartbeat: Heartbeat): Promise<ListResult> {
  const { ctx, listing } = input;
  const target: PartTarget = {
    data: deps.data,
    stream: listing,
    run: ctx.run,
    date: ctx.date,
    market: ctx.market,
    chunk: listing,
  };
  if ((await PartWriter.committed(target)) || (await finishListing(target))) return NOTHING;
  await pullRows(deps.data, { streams: ['nomenclatures', 'contact_metrics'] });
  if (listing === 'contact_metrics') return readContactMetrics(deps, ctx, target, heartbeat);
  if (listing === 'nomenclatures' && (!deps.config.nomenclatures || nomenclaturesAreFresh(deps))) return NOTHING;

  // Keep the lookup lists that a failed attempt has read, because each lookup list is complete in itself. Read all
  // other listings from their start, because their pages belong together.
  if (listing === 'nomenclatures') {
    const lists = await PartWriter.open(target);
    return land(deps, input, lists, heartbeat, async () => ({
      ...(await readNomenclatures(deps, lists, heartbeat)),
      rows: lists.rows.length,
    }));
  }
  const pages = await ListingWriter.open(target);
  return land(deps, input, pages, heartbeat, async () => ({
    ...(await readers[listing](deps, ctx.filters, pages, heartbeat)),
    rows: pages.rows,
  }));
}

/**
 * Reads a listing and commits its part. If an error ends the reading, commits nothing; the daily limit and a refusal of
 * the first page are results, all other errors are thrown. Lookup lists then stay in the spool; other listings are read
 * again from their start.
 */
async function land(
  deps: CrawlDeps,
  { ctx, listing }: ListInput,
  writer: Pick<ListingWriter | PartWriter, 'commit' | 'close'>,
  heartbeat: Heartbeat,
  read: () => Promise<Counts & { rows: number }>,
): Promise<ListResult> {
  const ended = await runAttempt({ deps, ctx, heartbeat }, listing, writer, read);
  const { requests } = ended;
  if (ended.how === 'done') {
    await writer.commit();
    return { requests, limited: false, ...ended.result };
  }
  await writer.close();
  return ended.how === 'limited'
    ? { ...NOTHING, requests, limited: true }
    : { ...NOTHING, requests, refused: [refusalOf(listing, ended.refusal)] };
}

type Reader = (
  deps: CrawlDeps,
  filters: Record<string, unknown>,
  writer: ListingWriter,
  heartbeat: Heartbeat,
) => Promise<Counts>;

const readers: Record<Exclude<ListInput['listing'], 'nomenclatures' | 'contact_metrics'>, Reader> = {
  // Sort by date, newest first. A new tender then moves older tenders to later pages. So the run may read a tender
  // twice, but it misses none.
  tenders: (deps, filters, writer, heartbeat) =>
    readPages(deps, writer, heartbeat, 'tenders', async (page, per_page) => {
      const response = await deps.client.v1.tenders(
        { page, per_page, sort: { announced_date: 'desc' }, filters },
        { signal: heartbeat.signal },
      );
      return {
        response,
        ids: readItems(response.body).flatMap(slugOf),
        total: readCount(response.data.total_results),
      };
    }),

  async watched_companies(deps, _filters, writer, heartbeat) {
    const unusable = new Set<string>();
    const counts = await readPages(deps, writer, heartbeat, 'watched companies', async (page, per_page) => {
      const response = await deps.client.v2.watch.list({ page, per_page }, { signal: heartbeat.signal });
      const ids = keysOf(readItems(response.body));
      for (const key of ids) if (!isUsable(key)) unusable.add(key);
      return { response, ids, total: readCount(response.data.total_results) };
    });
    return withoutUnusable(counts, unusable);
  },
};

/** Reads the slug of a tender as the warehouse does: also from a tender with an unusable field. */
function slugOf(tender: JsonNode): string[] {
  const slug = tender.kind === 'object' && !tender.repeats ? tender.members.get('slug') : undefined;
  const text = slug?.kind === 'string' ? slug.value.trim() : slug?.kind === 'number' ? slug.text : '';
  return text === '' ? [] : [text];
}

/** Subtracts the companies whose ids the warehouse cannot hold, and mentions them in the shortfall. */
function withoutUnusable({ entities, shortfall }: Counts, unusable: ReadonlySet<string>): Counts {
  if (unusable.size === 0) return { entities, shortfall };
  const [example] = [...unusable].map((key) => faultOf(key).example);
  const words = `The warehouse cannot store the ids of ${formatCount(unusable.size)} watched companies, for example ${example}; ops.rejects lists them.`;
  return {
    entities: entities - unusable.size,
    shortfall: [shortfall, words].filter((text) => text !== null).join(' '),
  };
}

interface Page {
  response: ApiResponse<unknown>;
  ids: string[];
  /** Number of entries that the listing reports; null when it reports none. */
  total: number | null;
}

/**
 * Reads pages until the listing's total is reached, or until a page has no new entries. If the API never answers a
 * certain page but answers other requests, lands an error for this page and reads on. The shortfall names these pages.
 */
async function readPages(
  deps: CrawlDeps,
  writer: ListingWriter,
  heartbeat: Heartbeat,
  what: string,
  read: ReadPage,
): Promise<Counts> {
  const seen = new SeenIds();
  const silent: number[] = [];
  let refused: Refusal[] | null = null;
  let total: number | null = null;
  // The first total limits the number of pages. Later totals do not, because an API may raise its total with every
  // page.
  let firstTotal: number | null = null;
  let size: number = PAGE_SIZES[0];
  let perPage = 0;
  const readFirst = async (): Promise<Page> => {
    const first = await readFirstPage(read);
    size = first.size;
    return first.page;
  };
  for (let number = 1; ; number++) {
    const answer = await askOne(
      deps,
      heartbeat,
      number === 1
        ? { of: 'first page', send: readFirst, silentMs: () => sinceScheduled(heartbeat) }
        : { of: 'page', send: () => read(number, size), other: compareWithKnown(() => read(1, size)) },
    );
    if ('error' in answer) {
      await writer.append(rowOfError(answer.error, null, `page-${number}`));
      silent.push(number);
      if (kindOf(answer.error) === 'refused') {
        refused = [refusalOf(what.replaceAll(' ', '_'), answer.error)];
        break;
      }
      // Without a total, nothing shows whether more pages follow the page without an answer. So stop here. The API
      // rejects further pages, too.
      if (total === null || number * size >= total || kindOf(answer.error) === 'invalid') break;
      continue;
    }
    const page = answer.result;
    await writer.append(rowOf(page.response, null, `page-${number}`));
    const before = seen.size;
    for (const id of page.ids) seen.add(id);
    total = page.total ?? total;
    firstTotal ??= page.total;
    // The number of entries on the first page counts as page size, because the API may return fewer entries than
    // requested.
    perPage ||= page.ids.length;
    heartbeat.report({ step: what, done: seen.size, total, requests: number });
    if (seen.size === before) break;
    // If the total is reached but the page is full, read on: there may be more entries.
    if (total !== null && seen.size >= total && page.ids.length < perPage) break;
    // If a page is missing, the entries read never reach the total. Then stop at the last page that the total needs.
    if (silent.length > 0 && total !== null && number * size >= total) break;
    if (number >= mostPages(firstTotal, Math.max(1, perPage))) {
      return { entities: seen.size, shortfall: endless(what, number, seen.size, firstTotal) };
    }
  }
  const missing = total === null ? 0 : Math.max(0, total - seen.size);
  return { entities: seen.size, shortfall: shortfallOf(what, missing, total, silent), ...(refused && { refused }) };
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

type ReadPage = (page: number, perPage: number) => Promise<Page>;

/** Reads the first page, with the largest page size that the API accepts. */
async function readFirstPage(read: ReadPage): Promise<{ page: Page; size: number }> {
  for (const size of PAGE_SIZES) {
    try {
      return { page: await read(1, size), size };
    } catch (error) {
      if (kindOf(error) !== 'invalid' || size === PAGE_SIZES.at(-1)) throw error;
    }
  }
  throw new Error('unreachable: the last page size either answers or throws');
}
