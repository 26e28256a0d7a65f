import type { ApiClient, ApiResponse } from '../../../api/index.js';
import type { LandedRow } from '../../../../schemas/pipeline/landing.js';
import { isUsable, keysOf, readItems } from '../../../base/company-id.js';
import { readJson } from '../../../base/json/json-nodes.js';
import type { NewRow } from '../../../landing/index.js';
import type { Routes } from '../../judge/routes.js';
import { kindOf } from '../../judge/kinds.js';
import { rowOf } from '../../records/answer.js';
import { pageWithoutPersonalData, recordWithoutPersonalData } from '../../../privacy/personal-data.js';
import type { Fetcher } from '../../records/fetcher.js';
import { askPage, markLast, MOST_PAGES } from '../../records/read-pages.js';

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
  resumes: true,
  withoutPersonalData: (body, _fingerprint, request) => {
    if (request.startsWith(DETAILS)) return recordWithoutPersonalData(body);
    return pageWithoutPersonalData(body, request.startsWith(SEARCH) ? 'data' : 'list');
  },
  fetch: (client, _ctx, id, signal, routes, { landed }) =>
    markLast(landed, new Reading(client, id, signal, routes, landed).rows()),
};

/** Reads the executives of one company. Does not request landed rows again. */
class Reading {
  constructor(
    readonly client: ApiClient,
    readonly id: string,
    readonly signal: AbortSignal,
    readonly routes: Routes,
    readonly landed: readonly LandedRow[],
  ) {}

  /**
   * Yields the rows that are not landed yet. Returns a sentence about what could not be read.
   * @throws RoutesClosedError when the API refuses both the listing and the search
   */
  async *rows(): AsyncGenerator<NewRow, string | null> {
    const [listed, found] = [new Set<string>(), new Set<string>()];
    const listing = yield* this.#pages(LIST, listed);
    if (listing === 'whole') return null;
    const search = yield* this.#pages(SEARCH, found);
    if (search instanceof Error) {
      if (listing instanceof Error) throw search;
      return this.#shortfall('The API refuses the search that could list the missing executives.');
    }
    let areRefused = false;
    for (const person of found) {
      if (listed.has(person)) continue;
      try {
        const request = () => this.client.v1.executive(person, { signal: this.signal });
        yield* this.#row(DETAILS, `page-executive-${person}`, request);
      } catch (error) {
        // If the person is gone, or if the API refuses the details, the person's row from the search remains.
        if (kindOf(error) === 'gone') continue;
        if (!isRefused(error)) throw error;
        areRefused = true;
      }
    }
    if (search === 'short') return this.#shortfall('The search for executives lists fewer pages than it reports.');
    return areRefused ? this.#shortfall('The API refuses the details of executives whom the search found.') : null;
  }

  /**
   * Reads the pages of the listing or of the search. Adds the ids of the people to `ids`.
   * @returns `whole` after all pages; `short` when a page before the last one is empty, or when there are too many
   * pages; `empty` when only the last page is empty; the error when the API refuses the route
   */
  async *#pages(
    route: typeof LIST | typeof SEARCH,
    ids: Set<string>,
  ): AsyncGenerator<NewRow, 'whole' | 'empty' | 'short' | Error> {
    try {
      for (let page = 1, last = 1; page <= last; page++) {
        if (page > MOST_PAGES) return 'short';
        const rowKind = `${route === LIST ? 'page' : 'page-search'}-${page}`;
        const row = yield* this.#row(route, rowKind, () => this.#askPage(route, page));
        const items = readItems(row.body, route === LIST ? 'list' : 'data');
        for (const key of keysOf(items)) if (isUsable(key)) ids.add(key);
        last = Number((readJson(row.body) as { pages: unknown }).pages);
        if (items.length === 0 && page < last) return 'short';
        if (items.length === 0 && page > 1) return 'empty';
      }
      return 'whole';
    } catch (error) {
      if (!isRefused(error)) throw error;
      return error as Error;
    }
  }

  async #askPage(route: typeof LIST | typeof SEARCH, page: number): Promise<ApiResponse<unknown>> {
    const { client, id, signal } = this;
    return askPage<ApiResponse<unknown>>(client, route, async (per_page = 10) => {
      if (route === LIST) return client.v1.companyExecutives({ id, page, per_page }, { signal });
      // Send the id as text if a JavaScript number cannot hold it.
      const company_id = Number.isSafeInteger(Number(id)) ? Number(id) : id;
      return client.v1.executives({ page, per_page, filters: { company_id } }, { signal });
    });
  }

  /** Returns the landed row. If there is none, sends the request, and yields the new row. */
  async *#row(
    route: string,
    rowKind: string,
    request: () => Promise<ApiResponse<unknown>>,
  ): AsyncGenerator<NewRow, NewRow> {
    const landed = this.landed.find(({ row_kind }) => row_kind === rowKind);
    if (landed !== undefined) return landed;
    const row = rowOf(await this.routes.send(route, request), this.id, rowKind);
    yield row;
    return row;
  }

  #shortfall(why: string): string {
    return `The run could not read all executives of company ${this.id}. ${why}`;
  }
}

function isRefused(error: unknown): boolean {
  return ['refused', 'closed'].includes(kindOf(error));
}
