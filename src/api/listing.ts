import type { Misfit } from '../../schemas/v2/read-leniently.js';
import type { Caller } from './caller.js';
import type { ApiResponse, CallOptions } from './options.js';
import type { RequestParts } from './request.js';
import type { Route } from './route.js';

/**
 * A list of the API. Call it for one page. `pages` and `all` read page after page, one request at a time. They stop at
 * the last page of the list, or at the page cap (reference v2, section "Limits").
 *
 * @template Q query of one page
 * @template P one page
 * @template R one record of a page
 */
export interface Listing<Q, P, R> {
  (...ask: PageCall<Q>): Promise<ApiResponse<P>>;
  /**
   * Returns the answer of each page, in the order of the pages.
   * @throws IncompleteListError after the last page, if the list has more records than the pages show
   */
  pages(...ask: ListCall<Q>): AsyncGenerator<ApiResponse<P>, void, undefined>;
  /**
   * Returns the records of all pages, each record once.
   * @throws IncompleteListError after the last record, if the list has more records than the pages show
   */
  all(...ask: ListCall<Q>): AsyncGenerator<R, void, undefined>;
}

type PageCall<Q> = object extends Q ? [query?: Q, call?: CallOptions] : [query: Q, call?: CallOptions];
type ListCall<Q> =
  object extends Omit<Q, 'page'>
    ? [query?: Omit<Q, 'page'>, options?: ListOptions]
    : [query: Omit<Q, 'page'>, options?: ListOptions];

/** Options of `pages` and `all`. */
export interface ListOptions extends CallOptions {
  /** Called for an incomplete list instead of throwing IncompleteListError. */
  onIncomplete?: (gap: ListGap) => void;
}

/** What a list did not show. */
export interface ListGap {
  /** Number of records that the API reports; null when the API reports no number (version 1, except tenders). */
  total: number | null;
  /** Number of different records that the pages showed. */
  shown: number;
  /** Whether the list has pages behind the page cap. */
  isCapped: boolean;
  /** Entries of the pages that have no usable id. `path` starts with the page number. */
  unusable: readonly Misfit[];
}

/** Thrown when a list has more records than its pages show, after the caller has received all records of the pages. */
export class IncompleteListError extends Error {
  readonly gap: ListGap;

  constructor(endpoint: string, gap: ListGap) {
    super(`${endpoint}: ${describeGap(gap)}`);
    this.name = 'IncompleteListError';
    this.gap = gap;
  }
}

function describeGap({ total, shown, isCapped, unusable }: ListGap): string {
  const said = `the pages showed ${shown} of ${total ?? 'an unknown number of'} records.`;
  const without = unusable.length > 0 ? ` ${unusable.length} entries have no usable id.` : '';
  const todo = isCapped
    ? 'The API shows no further pages. Use a larger per_page, or narrower filters in several searches.'
    : 'The list may have changed while it was read. Read it again.';
  return `${said}${without} ${todo} To continue without an error, pass the option onIncomplete.`;
}

type Entry = Record<string, unknown>;

/**
 * Creates a list.
 * @param partsOf makes the request for one page
 * @param maxPage largest page number that the API accepts
 */
export function listing<Q extends object, P extends object, R extends object>(
  caller: Caller,
  route: Route<P>,
  partsOf: (query: Q) => RequestParts,
  maxPage = Infinity,
): Listing<Q, P, R> {
  const ask = async (query?: Q, call?: CallOptions) => caller.call(route, partsOf(query ?? ({} as Q)), call);
  const pages = (query?: Omit<Q, 'page'>, options?: ListOptions) =>
    readPages(route.endpoint, maxPage, (page, call) => ask({ ...query, page } as unknown as Q, call), options);
  const list = {
    pages: (query?: Omit<Q, 'page'>, options?: ListOptions) => withoutEntries(pages(query, options)),
    all: (query?: Omit<Q, 'page'>, options?: ListOptions) => newEntries(pages(query, options)) as AsyncGenerator<R>,
  };
  return Object.assign(ask, list) as Listing<Q, P, R>;
}

interface ReadPage<P> {
  response: ApiResponse<P>;
  /** Records that no earlier page showed. */
  fresh: Entry[];
}

async function* readPages<P extends object>(
  endpoint: string,
  maxPage: number,
  ask: (page: number, call: CallOptions) => Promise<ApiResponse<P>>,
  { onIncomplete, ...call }: ListOptions = {},
): AsyncGenerator<ReadPage<P>, void, undefined> {
  const seen = new Set<string>();
  const unusable: Misfit[] = [];
  let rows = 0;
  for (let page = 1; ; page++) {
    const response = await ask(page, call);
    const { entries, total, lastPage } = readEnvelope(response.data);
    const fresh = entries.filter((entry, index): entry is Entry => entry !== null && isNew(seen, entry, rows + index));
    rows += entries.length;
    unusable.push(...unusableOf(response, page));
    yield { response, fresh };
    const last = lastPage ?? (rows >= (total ?? 0) ? page : Infinity);
    if (entries.length > 0 && page < Math.min(last, maxPage)) continue;
    const gap = { total, shown: seen.size, isCapped: page >= maxPage && last > maxPage, unusable };
    const isComplete = !gap.isCapped && unusable.length === 0 && (total === null || gap.shown >= total);
    if (isComplete) return;
    if (onIncomplete === undefined) throw new IncompleteListError(endpoint, gap);
    onIncomplete(gap);
    return;
  }
}

/** Adds a record to `seen` and returns whether it is new. A record without an id, such as an event, is always new. */
function isNew(seen: Set<string>, entry: Entry, row: number): boolean {
  const id = entry['id'] ?? entry['slug'];
  const key = typeof id === 'string' || typeof id === 'number' ? `id ${id}` : `row ${row}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** Reads a page (reference v2, section "Pagination envelopes"). In version 1, the records may be in `list`, not `data`. */
function readEnvelope(page: object): { entries: (Entry | null)[]; total: number | null; lastPage: number | null } {
  const fields = page as Entry;
  const number = (...names: string[]): number | null => {
    const value = names.map((name) => fields[name]).find((found) => typeof found === 'number');
    return typeof value === 'number' ? value : null;
  };
  return {
    entries: (fields['data'] ?? fields['list']) as (Entry | null)[],
    total: number('total_companies', 'total_results', 'total_employees'),
    lastPage: number('total_pages', 'pages'),
  };
}

function unusableOf({ data, misfits }: ApiResponse<object>, page: number): Misfit[] {
  const { entries } = readEnvelope(data);
  const without = entries.flatMap((entry, index) => (entry === null ? [index] : []));
  if (without.length === 0) return [];
  return without.map((index) => {
    const [misfit] = misfits.filter(({ path }) => path[1] === index);
    return misfit === undefined
      ? { path: [page, index], problem: 'the entry is null', value: null }
      : { ...misfit, path: [page, ...misfit.path.slice(1)] };
  });
}

async function* withoutEntries<P>(pages: AsyncGenerator<ReadPage<P>>): AsyncGenerator<ApiResponse<P>, void, undefined> {
  for await (const { response } of pages) yield response;
}

async function* newEntries(pages: AsyncGenerator<ReadPage<unknown>>): AsyncGenerator<Entry, void, undefined> {
  for await (const { fresh } of pages) yield* fresh;
}
