import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/api/index.js';
import { askLargest } from '../../../src/api/page-sizes.js';
import { rejection, reply, withApi, type Handler } from './helpers.js';

const empty = { total_employees: 0, total_pages: 0, data: [] };

/** Accepts pages of at most `most` people; rejects larger ones with the fields of `refusal`. */
const accepting =
  (most: number, refusal: object): Handler =>
  ({ body }, response) => {
    const { per_page = 0 } = JSON.parse(body) as { per_page?: number };
    if (per_page > most) reply(response, 400, refusal);
    else reply(response, 200, empty);
  };
const sizesOf = (seen: readonly { body: string }[]): unknown[] =>
  seen.map(({ body }) => (JSON.parse(body) as { per_page?: number }).per_page);

describe('askLargest', () => {
  it.each([
    [1_000, [100, 100]],
    [25, [100, 50, 25, 25]],
    [5, [100, 50, 25, 10, undefined, undefined]],
  ])('requests smaller pages up to %i, and remembers the size', async (most, sizes) => {
    await withApi(accepting(most, { per_page: ['Too large.'] }), async ({ client, api }) => {
      await askLargest(client.v2.employees, { page: 1, filters: {} });
      await askLargest(client.v2.employees, { page: 2, filters: {} });
      expect(sizesOf(api.seen)).toEqual(sizes);
    });
  });

  it.each([
    ['a first page with a reason that names nothing sent', 1, { limit: ['No.'] }, 3],
    ['a first page with wrong filters', 1, { filters: { company_id: ['No.'] } }, 1],
    ['a later page with another reason, after a restart', 2, { limit: ['No.'] }, 3],
    ['a later page because of its filters', 2, { filters: ['No.'] }, 1],
    ['a later page because of its size', 2, { per_page: ['No.'] }, 3],
  ])('of the API that rejects %s', async (_what, page, refusal, requests) => {
    await withApi(accepting(25, refusal), async ({ client, api }) => {
      const ask = askLargest(client.v2.employees, { page, filters: {} });
      if (requests === 1) expect(await rejection(ask)).toBeInstanceOf(InvalidRequestError);
      else expect((await ask).data).toEqual(empty);
      expect(api.seen).toHaveLength(requests);
    });
  });

  it('does not try smaller pages of a list that was answered, if the API does not reject the size', async () => {
    await withApi(
      (_q, r, n) => (n === 1 ? reply(r, 200, empty) : reply(r, 400, { limit: ['No.'] })),
      async ({ client, api }) => {
        await askLargest(client.v2.employees, { page: 1, filters: {} });
        await rejection(askLargest(client.v2.employees, { page: 1, filters: {} }));
        expect(api.seen).toHaveLength(2);
        // The next call tries all sizes, because the API may have changed them.
        await rejection(askLargest(client.v2.employees, { page: 1, filters: {} }));
        expect(sizesOf(api.seen).slice(2)).toEqual([100, 50, 25, 10, undefined]);
      },
    );
  });

  it('does not remember sizes that no answer confirms', async () => {
    await withApi(accepting(-1, { per_page: ['No.'] }), async ({ client, api }) => {
      for (let n = 0; n < 2; n++) await rejection(askLargest(client.v2.employees, { page: 1, filters: {} }));
      expect(sizesOf(api.seen).slice(5)).toEqual([100, 50, 25, 10, undefined]);
    });
  });
});
