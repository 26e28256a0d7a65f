import type { ApiClient } from '../../../api/index.js';
import type { LandedRow } from '../../../../schemas/pipeline/landing.js';
import { isUsable, keysOf, readItems } from '../../../base/company-id.js';
import { readJson } from '../../../base/json/json-nodes.js';
import type { NewRow } from '../../../landing/index.js';
import type { Routes } from '../../judge/routes.js';
import { kindOf } from '../../judge/kinds.js';
import { rowOf } from '../../records/answer.js';
import { pageWithoutPersonalData, recordWithoutPersonalData } from '../../../privacy/personal-data.js';
import type { Fetcher } from '../../records/fetcher.js';
import { askPage, completeListings, markLast, MOST_PAGES } from '../../records/read-pages.js';

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
  finished: completeListings,
};

/** Reads the executives of one company. Does not request landed rows again. */
class Reading {
  /** A sentence about what could not be read; null when nothing is missing. */
  #shortfall: string | null = null;
  readonly #landed: ReadonlyMap<string, LandedRow>;

  constructor(
    readonly client: ApiClient,
    readonly id: string,
    readonly signal: AbortSignal,
    readonly routes: Routes,
    landed: readonly LandedRow[],
  ) {
    this.#landed = new Map(landed.map((row) => [row.row_kind, row]));
  }

  /**
   * Yields the rows that are not landed yet. Returns a sentence about what could not be read.
   * @throws RoutesClosedError when the API refuses both the listing and the search
   */
  async *rows(): AsyncGenerator<NewRow, string | null> {
    const ids = new Set<string>();
    let listed: 'whole' | 'short' | 'refused';
    try {
      listed = (yield* this.#pages(LIST, 'page-', ids)) === 'whole' ? 'whole' : 'short';
    } catch (error) {
      if (!isRefused(error)) throw error;
      listed = 'refused';
    }
    if (listed === 'whole') return null;
    const found = new Set<string>();
    try {
      const end = yield* this.#pages(SEARCH, 'page-search-', found);
      if (end === 'short') this.#cutShort('The search for executives lists fewer pages than it reports.');
    } catch (error) {
      if (listed === 'refused' || !isRefused(error)) throw error;
      this.#cutShort('The API refuses the search that could list the missing executives.');
      return this.#shortfall;
    }
    for (const person of found) if (!ids.has(person)) yield* this.#details(person);
    return this.#shortfall;
  }

  /**
   * Reads the pages of the listing or of the search. Adds the ids of the people to `ids`.
   * @returns `whole` after all pages; `short` when a page before the last one is empty, or when there are too many
   * pages; `empty` when only the last page is empty
   */
  async *#pages(
    route: typeof LIST | typeof SEARCH,
    label: string,
    ids: Set<string>,
  ): AsyncGenerator<NewRow, 'whole' | 'empty' | 'short'> {
    for (let page = 1, last = 1; page <= last; page++) {
      if (page > MOST_PAGES) return 'short';
      const rowKind = `${label}${page}`;
      const known = this.#landed.get(rowKind);
      const row = known ?? (await this.#ask(route, () => this.#page(route, page), rowKind));
      if (known === undefined) yield row;
      const items = readItems(row.body, route === LIST ? 'list' : 'data');
      for (const key of keysOf(items)) if (isUsable(key)) ids.add(key);
      last = Number((readJson(row.body) as { pages: unknown }).pages);
      if (items.length === 0 && page < last) return 'short';
      if (items.length === 0 && page > 1) return 'empty';
    }
    return 'whole';
  }

  async #page(route: typeof LIST | typeof SEARCH, page: number) {
    const { client, id, signal } = this;
    return askPage(client, route, async (per_page = 10) => {
      if (route === LIST) return client.v1.companyExecutives({ id, page, per_page }, { signal });
      // Send the id as text if a JavaScript number cannot hold it.
      const company_id = Number.isSafeInteger(Number(id)) ? Number(id) : id;
      return client.v1.executives({ page, per_page, filters: { company_id } }, { signal });
    });
  }

  /**
   * Reads the details of a person. If the person is gone, or if the API refuses the details, the person's row from the
   * search remains.
   */
  async *#details(person: string): AsyncGenerator<NewRow> {
    const rowKind = `page-executive-${person}`;
    if (this.#landed.has(rowKind)) return;
    try {
      yield await this.#ask(DETAILS, () => this.client.v1.executive(person, { signal: this.signal }), rowKind);
    } catch (error) {
      if (kindOf(error) === 'gone') return;
      if (!isRefused(error)) throw error;
      this.#cutShort('The API refuses the details of executives whom the search found.');
    }
  }

  async #ask(route: string, request: () => Promise<Parameters<typeof rowOf>[0]>, rowKind: string): Promise<NewRow> {
    return rowOf(await this.routes.send(route, request), this.id, rowKind);
  }

  #cutShort(why: string): void {
    this.#shortfall ??= `The run could not read all executives of company ${this.id}. ${why}`;
  }
}

function isRefused(error: unknown): boolean {
  return ['refused', 'closed'].includes(kindOf(error));
}
