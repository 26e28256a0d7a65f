import { describe, expect, expectTypeOf, it } from 'vitest';

import { IncompleteListError, type Company, type Documented, type ListGap } from '../../../src/api/index.js';
import { startSandbox } from '../../../sandbox/index.js';
import { rejection, reply, withApi, type Handler } from './helpers.js';
import { createApiClient } from '../../../src/api/index.js';

/** An API with one list: pages of two records, as the search of version 2 sends them. */
const pagesOf =
  (ids: unknown[], facts: { total?: number; pages?: number } = {}): Handler =>
  (request, response) => {
    const { page } = JSON.parse(request.body) as { page: number };
    const data = ids.slice(page * 2 - 2, page * 2).map((id) => ({ id, name: `company ${String(id)}` }));
    const { total = ids.length, pages = Math.ceil(ids.length / 2) } = facts;
    reply(response, 200, { total_companies: total, total_pages: pages, data });
  };

async function collect<T>(list: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const item of list) into.push(item);
  return into;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('all records of a search', () => {
  it('returns the records of all pages and requests each page once', async () => {
    await withApi(pagesOf(numbers(5)), async ({ client, api }) => {
      const found = await collect(client.v2.prospecting.all({ filters: { nace: ['62'] } }));
      expect(found.map(({ id, name }) => [id, name])).toEqual(numbers(5).map((id) => [id, `company ${id}`]));
      const bodies = api.seen.map(({ body }) => body);
      expect(bodies).toEqual([1, 2, 3].map((page) => JSON.stringify({ filters: { nace: ['62'] }, page })));
    });
  });

  it('reports what the page cap hid, after all shown records', async () => {
    await withApi(pagesOf(numbers(25)), async ({ client, api }) => {
      const shown: unknown[] = [];
      const error = await rejection<IncompleteListError>(collect(client.v2.prospecting.all(), shown));
      expect(shown).toHaveLength(20);
      expect(api.seen).toHaveLength(10);
      expect(error).toBeInstanceOf(IncompleteListError);
      expect(error.gap).toEqual({ total: 25, shown: 20, isCapped: true, unusable: [] });
      expect(error.message).toContain('the pages showed 20 of 25 records. The API shows no further pages.');
    });
  });

  it('passes the gap to onIncomplete instead of throwing', async () => {
    await withApi(pagesOf(numbers(25)), async ({ client }) => {
      const gaps: ListGap[] = [];
      const pages = await collect(client.v2.prospecting.pages({}, { onIncomplete: (gap) => gaps.push(gap) }));
      expect(pages.map(({ data }) => data.data.length)).toEqual(Array(10).fill(2));
      expect(gaps).toMatchObject([{ total: 25, shown: 20 }]);
    });
  });

  it('reports pages behind the cap although the total is met', async () => {
    await withApi(pagesOf(numbers(25), { total: 20 }), async ({ client }) => {
      const error = await rejection<IncompleteListError>(collect(client.v2.prospecting.all()));
      expect(error.gap).toMatchObject({ isCapped: true, total: 20, shown: 20 });
    });
  });

  it('returns a repeated record once and reports the missing one', async () => {
    await withApi(pagesOf([1, 2, '2', 3]), async ({ client }) => {
      const shown: { id: unknown }[] = [];
      const error = await rejection<IncompleteListError>(collect(client.v2.prospecting.all(), shown));
      expect(shown.map(({ id }) => id)).toEqual([1, 2, 3]);
      expect(error.gap).toMatchObject({ total: 4, shown: 3, isCapped: false });
      expect(error.message).toContain('Read it again.');
    });
  });

  it('reports an entry without an id and returns the others', async () => {
    await withApi(pagesOf([1, 2, null, 4]), async ({ client }) => {
      const shown: { id: unknown }[] = [];
      const error = await rejection<IncompleteListError>(collect(client.v2.prospecting.all(), shown));
      expect(shown.map(({ id }) => id)).toEqual([1, 2, 4]);
      expect(error.gap.unusable).toMatchObject([{ path: [2, 0, 'id'], value: null }]);
    });
  });

  it('stops at an empty page', async () => {
    await withApi(pagesOf([1, 2], { pages: 9 }), async ({ client, api }) => {
      expect(await collect(client.v2.prospecting.all())).toHaveLength(2);
      expect(api.seen).toHaveLength(2);
    });
  });

  it('requests no further page after a break', async () => {
    await withApi(pagesOf(numbers(9)), async ({ client, api }) => {
      for await (const company of client.v2.prospecting.all()) if (company.id === 2) break;
      expect(api.seen).toHaveLength(1);
    });
  });

  it('stops when the signal aborts', async () => {
    await withApi(pagesOf(numbers(9)), async ({ client }) => {
      const reason = new Error('enough');
      expect(await rejection(collect(client.v2.prospecting.all({}, { signal: AbortSignal.abort(reason) })))).toBe(
        reason,
      );
    });
  });
});

it('lists companies, people, tenders, watched companies and events of the sandbox', async () => {
  const sandbox = await startSandbox({ companies: 30, tenders: 12, maxPerPage: 10 });
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key });
  try {
    const companies = await collect(client.v2.prospecting.all({ per_page: 10 }));
    expect(companies).toHaveLength(30);
    const { id, name } = companies[0]!;
    expect(await collect(client.v1.companies.all({ per_page: 10, filters: {} }))).toHaveLength(30);
    expect((await collect(client.v1.tenders.all({ per_page: 5 }))).every(({ slug }) => slug !== '')).toBe(true);
    const found = await collect(client.v2.overview.all({ name: name! }));
    expect(found.map((company) => String(company.id))).toContain(String(id));
    const people = await collect(client.v2.employees.all({ filters: { company_id: id } }));
    const executives = await collect(client.v1.companyExecutives.all({ id, per_page: 10 }));
    expect([people.length, executives.length].every((count) => count > 0)).toBe(true);
    await client.v2.watch.start(id);
    expect(await collect(client.v2.watch.list.all())).toHaveLength(1);
    sandbox.moveTo(40);
    const { total_results } = (await client.v2.watch.events(id)).data;
    expect(await collect(client.v2.watch.events.all(id))).toHaveLength(total_results);
  } finally {
    await Promise.all([client.close(), sandbox.close()]);
  }
});

it('types a record by its documented fields and keeps the others', async () => {
  await withApi(
    (_request, response) => reply(response, 200, { id: 'a', name: 5, size: '11-50', mood: 'good' }),
    async ({ client }) => {
      const { data, misfits, body } = await client.v2.company('a');
      expectTypeOf(data).toEqualTypeOf<Documented<Company>>();
      expectTypeOf(data.company_phone).toEqualTypeOf<string[] | null | undefined>();
      expect(data).toEqual({ id: 'a', size: '11-50', mood: 'good' });
      expect(misfits).toMatchObject([{ path: ['name'], value: 5 }]);
      expect(body).toContain('"name":5');
    },
  );
});
