import { pageWithoutPersonalData } from '../chunks/personal-data.js';
import type { Fetcher } from './fetcher.js';
import { askPage, completeListings, readPages } from './read-pages.js';

/** The executives of a company, from version 1's listing. */
export const executives: Fetcher = {
  withoutPersonalData: (body) => pageWithoutPersonalData(body, 'list'),
  async *fetch(client, _ctx, id, signal) {
    yield* readPages(id, `executives of company ${id}`, '', async (page) => {
      const response = await askPage(client, async (per_page) =>
        client.v1.companyExecutives({ id, page, per_page }, { signal }),
      );
      return { response, rows: response.data.list.length, pages: response.data.pages };
    });
  },
  finished: completeListings,
};
