import { InvalidRequestError } from './errors.js';
import type { Listing } from './listing.js';
import type { ApiResponse, CallOptions } from './options.js';

/**
 * Page sizes to try, largest first. The reference does not state the largest page size. For a size that is too large, the
 * API only answers "invalid". At last, let the API choose.
 */
const PAGE_SIZES = [100, 50, 25, 10, undefined] as const;

type Ask<P> = (query: object, call?: CallOptions) => Promise<ApiResponse<P>>;

/** For each list of a client, the place in PAGE_SIZES of the size that the API accepted last. */
const accepted = new WeakMap<object, number>();

/** Requests a page of a list with the largest page size that the API accepts. Remembers this size for later pages. */
export async function askLargest<Q extends object, P>(
  list: Listing<[], Q, P>,
  query: Omit<Q, 'page' | 'per_page'> & { page: number },
  call?: CallOptions,
): Promise<ApiResponse<P>> {
  for (let size = accepted.get(list) ?? 0; ; size++) {
    try {
      const response = await (list as unknown as Ask<P>)({ ...query, per_page: PAGE_SIZES[size] }, call);
      accepted.set(list, size);
      return response;
    } catch (error) {
      const isKnown = accepted.get(list) === size;
      if (size < PAGE_SIZES.length - 1 && mayRejectSize(error, isKnown ? null : query)) continue;
      // The API may accept other sizes now. The next call finds out.
      if (query.page === 1 && mayRejectSize(error, query)) accepted.delete(list);
      throw error;
    }
  }
}

/**
 * Whether the API may have rejected the page size: it says so, or names nothing in the query.
 * @param query null if only the first counts, because the API has accepted this size
 */
function mayRejectSize(error: unknown, query: object | null): boolean {
  if (!(error instanceof InvalidRequestError)) return false;
  const names = Object.keys(error.fields).map((field) => field.split('.', 1)[0]!);
  return names.includes('per_page') || (query !== null && !names.some((name) => name in query));
}
