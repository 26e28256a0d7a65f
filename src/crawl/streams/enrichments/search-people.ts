import { formatCount } from '../../../../schemas/format.js';
import type { EnrichEmployeeSearchPage } from '../../../../schemas/v2/enrichment.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import { askLargest } from '../../../api/page-sizes.js';
import { kindOf } from '../../judge/kinds.js';

// The reference states no maximum for this route. With 100 people per page, these are 10,000 people.
const MOST_PAGES = 100;

type Page = ApiResponse<EnrichEmployeeSearchPage>;

/**
 * Reads the people of a domain (`POST /v2/enrichment/employee/search`), page by page. A person found by name counts
 * only if nobody else in the domain has this name. So one page is not enough.
 *
 * If people enter or leave the list between two requests, the pages may lack a person. Then the totals of the pages
 * differ, or fewer people are read than reported. In both cases, reads the list once more, if it could read all pages.
 * @returns all answers in order, and a sentence that says which people were not read (null if all were read)
 * @throws InvalidRequestError when the API rejects the first page
 */
export async function searchPeople(
  client: ApiClient,
  domain: string,
  call: CallOptions,
): Promise<{ pages: Page[]; gap: string | null }> {
  const first = await readList(client, domain, call);
  const gap = describeGap(first.pages, first.pages, domain);
  const totals = new Set(first.pages.map(({ data }) => data.total_employees));
  if (first.isCut || (gap === null && totals.size === 1)) return { pages: first.pages, gap };
  const second = await readList(client, domain, call);
  const pages = [...first.pages, ...second.pages];
  return { pages, gap: describeGap(pages, second.pages, domain) };
}

/** Reads the pages in order. `isCut` says whether the API reports more pages than were read. */
async function readList(
  client: ApiClient,
  domain: string,
  call: CallOptions,
): Promise<{ pages: Page[]; isCut: boolean }> {
  const pages: Page[] = [];
  for (let page = 1; ; page++) {
    try {
      const answer = await askLargest(client.v2.enrichment.searchEmployees, { domain_list: [domain], page }, call);
      pages.push(answer);
      const { data, total_pages: last } = answer.data;
      if (data.length === 0 || page >= last || page >= MOST_PAGES) return { pages, isCut: page < last };
    } catch (error) {
      if (page === 1 || kindOf(error) !== 'invalid') throw error;
      return { pages, isCut: true };
    }
  }
}

/**
 * Compares the people of all pages with the total of the last page. An item without an id counts as one person.
 * @param latest the pages of the latest reading, of which the items without an id are counted
 */
function describeGap(pages: readonly Page[], latest: readonly Page[], domain: string): string | null {
  const itemsOf = (some: readonly Page[]) => some.flatMap(({ data }) => data.data);
  const found = new Set(itemsOf(pages).flatMap((item) => (item === null ? [] : [String(item.id)]))).size;
  const unusable = itemsOf(latest).filter((item) => item === null).length;
  const reported = pages.at(-1)?.data.total_employees ?? 0;
  if (found + unusable >= reported) return null;
  return `The API reports ${formatCount(reported)} people at ${domain}. The run read ${formatCount(found)}. So a person with the name cannot be told from people who were not read.`;
}
