import { kindOf } from '../../judge/kinds.js';
import { pageWithoutPersonalData, recordWithoutPersonalData } from '../../../privacy/personal-data.js';
import type { ApiResponse } from '../../../api/index.js';
import type { Fetcher, Fetching } from '../../records/fetcher.js';
import { askLargest } from '../../../api/page-sizes.js';
import { readPages, type PagesRead } from '../../records/read-pages.js';

const LIST = 'GET /v1/finder/company/executives';
const SEARCH = 'POST /v1/finder/executives';
const DETAILS = 'GET /v1/finder/executive/details';

/**
 * Fetches the executives of a company from version 1's listing. If the API refuses the listing, or lists fewer pages
 * than it says, uses the search for executives, and then reads the details of each person found.
 */
export const executives: Fetcher = {
  manyRoutes: true,
  replacedBy: { [LIST]: SEARCH },
  withoutPersonalData: (body, _fingerprint, request) => {
    if (request.startsWith(DETAILS)) return recordWithoutPersonalData(body);
    return pageWithoutPersonalData(body, request.startsWith(SEARCH) ? 'data' : 'list');
  },
  /** @throws RoutesClosedError when the API refuses both the listing and the search */
  async fetch(id, at) {
    const shortfall = (why: string): string => `The run could not read all executives of company ${id}. ${why}`;
    const [listed, found] = [new Set<string>(), new Set<string>()];
    const listing = await readUnlessRefused(LIST, id, at, listed);
    if (!isShort(listing) && !(listing.isEmpty && listing.read > 1)) return null;
    const search = await readUnlessRefused(SEARCH, id, at, found);
    if (search.refusal !== undefined) {
      if (listing.refusal !== undefined) throw search.refusal;
      return shortfall('The API refuses the search that could list the missing executives.');
    }
    let areRefused = false;
    for (const person of found) {
      if (listed.has(person)) continue;
      const request = () => at.client.v1.executive(person, { signal: at.signal });
      try {
        await at.page(`executive-${person}`, () => at.routes.send(DETAILS, request));
      } catch (error) {
        // If the person is gone, or if the API refuses the details, the person's row from the search remains.
        if (kindOf(error) === 'gone') continue;
        if (!isRefused(error)) throw error;
        areRefused = true;
      }
    }
    if (isShort(search)) return shortfall('The search for executives lists fewer pages than it reports.');
    return areRefused ? shortfall('The API refuses the details of executives whom the search found.') : null;
  },
};

/** The pages of a list. If the API refuses the list: its error, and no page of one. */
type List = PagesRead & { refusal?: Error };

/** Reads the pages of the listing or of the search. Adds the ids of the people to `ids`. */
async function readUnlessRefused(
  route: typeof LIST | typeof SEARCH,
  id: string,
  { client, signal, routes, page }: Fetching,
  ids: Set<string>,
): Promise<List> {
  // Send the id as text if a JavaScript number cannot hold it.
  const company_id = Number.isSafeInteger(Number(id)) ? Number(id) : id;
  const ask = (number: number): Promise<ApiResponse<unknown>> =>
    route === LIST
      ? askLargest(client.v1.companyExecutives, { id, page: number }, { signal })
      : askLargest(client.v1.executives, { page: number, filters: { company_id } }, { signal });
  try {
    return await readPages(
      (number) => page(route === LIST ? number : `search-${number}`, () => routes.send(route, () => ask(number))),
      route === LIST ? 'list' : 'data',
      ids,
    );
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { read: 0, reported: 1, isEmpty: true, refusal: error as Error };
  }
}

function isShort({ read, reported }: List): boolean {
  return read < reported;
}

function isRefused(error: unknown): boolean {
  return ['refused', 'closed'].includes(kindOf(error));
}
