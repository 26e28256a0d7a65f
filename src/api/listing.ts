import type { Misfit } from '../../schemas/v2/read-leniently.js';
import type { CreateEndpoint } from './caller.js';
import type { ApiResponse, CallOptions } from './options.js';
import type { RequestParts } from './request.js';
import type { Route } from './route.js';

/**
 * A list of the API. Call it for one page. `pages` and `all` read page after page, one request at a time. They stop at
 * the last page of the list, or at the page cap (reference v2, section "Limits").
 *
 * @template Ids arguments before the query, such as the company's id
 * @template Q query of one page
 * @template P one page
 */
export interface Listing<Ids extends unknown[], Q, P> {
  (...ask: [...Ids, ...Asked<Q, CallOptions>]): Promise<ApiResponse<P>>;
  /**
   * Returns the answer of each page, in the order of the pages.
   * @throws IncompleteListError after the last page, if the list has more records than the pages show
   */
  pages(...ask: [...Ids, ...Asked<Omit<Q, 'page'>, ListOptions>]): AsyncGenerator<ApiResponse<P>, void, undefined>;
  /**
   * Returns the records of all pages, each record once.
   * @throws IncompleteListError after the last record, if the list has more records than the pages show
   */
  all(...ask: [...Ids, ...Asked<Omit<Q, 'page'>, ListOptions>]): AsyncGenerator<RecordOf<P>, void, undefined>;
}

/** The query may be left out if none of its fields is required. */
type Asked<Q, C> = object extends Q ? [query?: Q, call?: C] : [query: Q, call?: C];

/** One record of a page. An entry without a usable id is null in the page. */
type RecordOf<P> = P extends { data: (infer R)[] } | { list: (infer R)[] } ? NonNullable<R> : never;

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
 * @param partsOf makes the request for one page. The number of its parameters says which argument is the query, so none
 * of them may have a default value
 * @param maxPage largest page number that the API accepts
 */
export function listing<Ids extends unknown[], Q extends object, P extends object>(
  endpoint: CreateEndpoint,
  route: Route<P>,
  partsOf: (...ask: [...ids: Ids, query: Q]) => RequestParts,
  maxPage = Infinity,
): Listing<Ids, Q, P> {
  const place = partsOf.length - 1;
  const send = endpoint(route, partsOf) as (...ask: unknown[]) => Promise<ApiResponse<P>>;
  /** Asks for one page. `more` replaces fields of the query. */
  const ask = (given: unknown[], call: unknown, more: object = {}) =>
    send(...given.slice(0, place), { ...(given[place] as Q | undefined), ...more }, call);
  const pages = (given: unknown[]) =>
    readPages(maxPage, (page, call) => ask(given, call, { page }), given[place + 1] as ListOptions);
  const list = {
    async *pages(...given: unknown[]) {
      for await (const { response } of pages(given)) yield response;
    },
    async *all(...given: unknown[]) {
      for await (const { fresh } of pages(given)) yield* fresh;
    },
  };
  const one = (...given: unknown[]) => ask(given, given[place + 1]);
  return Object.assign(one, list) as unknown as Listing<Ids, Q, P>;
}

interface ReadPage<P> {
  response: ApiResponse<P>;
  /** Records that no earlier page showed. */
  fresh: Entry[];
}

async function* readPages<P extends object>(
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
    unusable.push(...unusableOf(entries, response, page));
    yield { response, fresh };
    const last = lastPage ?? (rows >= (total ?? 0) ? page : Infinity);
    if (entries.length > 0 && page < Math.min(last, maxPage)) continue;
    const gap = { total, shown: seen.size, isCapped: page >= maxPage && last > maxPage, unusable };
    const isComplete = !gap.isCapped && unusable.length === 0 && (total === null || gap.shown >= total);
    if (isComplete) return;
    if (onIncomplete === undefined) throw new IncompleteListError(response.endpoint, gap);
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

/** Describes the entries of a page that have no usable id. */
function unusableOf(entries: (Entry | null)[], response: ApiResponse<object>, page: number): Misfit[] {
  return entries.flatMap((entry, index) => {
    if (entry !== null) return [];
    const misfit = response.misfits.find(({ path }) => path[1] === index);
    return misfit === undefined
      ? { path: [page, index], problem: 'the entry is null', value: null }
      : { ...misfit, path: [page, ...misfit.path.slice(1)] };
  });
}
