import { formatCount } from '../../../../schemas/format.js';
import type { EnrichEmployeeSearchPage } from '../../../../schemas/v2/enrichment.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import { askPage } from '../../records/read-pages.js';
import { kindOf } from '../../judge/kinds.js';

// The reference states no maximum for this route. With 100 people per page, these are 10,000 people.
const MOST_PAGES = 100;

type Page = ApiResponse<EnrichEmployeeSearchPage>;

/** Result of `searchPeople`. */
export interface PeopleSearch {
  /** All answers, in order. */
  pages: Page[];
  /** A sentence that says which people were not read; null if all were read. */
  gap: string | null;
}

/**
 * Reads the people of a domain (`POST /v2/enrichment/employee/search`), page by page. A person found by name counts
 * only if nobody else in the domain has this name. So one page is not enough.
 *
 * If people enter or leave the list between two requests, the pages may lack a person. Then the totals of the pages
 * differ, or fewer people are read than reported. In both cases, reads the list once more, if it could read all pages.
 * @throws InvalidRequestError when the API rejects the first page
 */
export async function searchPeople(client: ApiClient, domain: string, call: CallOptions): Promise<PeopleSearch> {
  const first = await readList(client, domain, call);
  const totals = new Set(first.pages.map(({ data }) => data.total_employees));
  if (first.isCut || (first.gap === null && totals.size === 1)) return first;
  const second = await readList(client, domain, call);
  const pages = [...first.pages, ...second.pages];
  return { pages, gap: describeGap(pages, unusableOn(second.pages), domain) };
}

async function readList(
  client: ApiClient,
  domain: string,
  call: CallOptions,
): Promise<PeopleSearch & { isCut: boolean }> {
  const pages: Page[] = [];
  for (let page = 1; ; page++) {
    let answer: Page;
    try {
      answer = await askPage(client, 'people', async (per_page) =>
        client.v2.enrichment.searchEmployees({ domain_list: [domain], page, per_page }, call),
      );
    } catch (error) {
      if (page === 1 || kindOf(error) !== 'invalid') throw error;
      return { pages, gap: describeGap(pages, unusableOn(pages), domain), isCut: true };
    }
    pages.push(answer);
    const { data, total_pages: last } = answer.data;
    const gap = describeGap(pages, unusableOn(pages), domain);
    if (data.length === 0 || page >= last || page >= MOST_PAGES) return { pages, gap, isCut: page < last };
  }
}

/** Counts the items without an id. */
function unusableOn(pages: readonly Page[]): number {
  return pages.flatMap(({ data }) => data.data).filter((item) => item === null).length;
}

/** Compares the people of all pages with the total of the last page. An item without an id counts as one person. */
function describeGap(pages: readonly Page[], unusable: number, domain: string): string | null {
  const items = pages.flatMap(({ data }) => data.data);
  const found = new Set(items.flatMap((item) => (item === null ? [] : [String(item.id)]))).size;
  const reported = pages.at(-1)?.data.total_employees ?? 0;
  if (found + unusable >= reported) return null;
  return `The API reports ${formatCount(reported)} people at ${domain}. The run read ${formatCount(found)}. So a person with the name cannot be told from people who were not read.`;
}
