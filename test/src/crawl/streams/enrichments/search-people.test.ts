import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, type ApiClient } from '../../../../../src/api/index.js';
import { searchPeople } from '../../../../../src/crawl/streams/enrichments/search-people.js';

interface Request {
  domain_list: string[];
  page: number;
  per_page?: number;
}

interface Server {
  /** Ids of the people in the list; null: an item without an id. */
  people: (number | null)[];
  largestPage?: number;
  lastPage?: number;
  /** Called before each answer. */
  before?: (server: Server, request: Request) => void;
}

/** A client whose API lists the people of `server`. Remembers all requests. */
function clientOf(server: Server): { client: ApiClient; requests: Request[] } {
  const requests: Request[] = [];
  const searchEmployees = (request: Request): Promise<unknown> => {
    requests.push(request);
    server.before?.(server, request);
    const { page, per_page: size = 7 } = request;
    if (size > (server.largestPage ?? 100)) return Promise.reject(rejected('per_page'));
    if (page > (server.lastPage ?? Infinity)) return Promise.reject(rejected('page'));
    const { people } = server;
    const data = people.slice((page - 1) * size, page * size).map((id) => (id === null ? null : { id }));
    return Promise.resolve({
      data: { total_employees: people.length, total_pages: Math.max(1, Math.ceil(people.length / size)), data },
    });
  };
  return { client: { v2: { enrichment: { searchEmployees } } } as unknown as ApiClient, requests };
}

function rejected(field: string): InvalidRequestError {
  const error: InvalidRequestError = Object.create(InvalidRequestError.prototype) as InvalidRequestError;
  return Object.assign(error, { fields: { [field]: ['wrong'] } });
}

const idsOf = ({ pages }: Awaited<ReturnType<typeof searchPeople>>): Set<unknown> =>
  new Set(pages.flatMap(({ data }) => data.data.map((item) => item?.id)));
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('a search for the people of a domain', () => {
  it('reads every person once, whatever page size the API accepts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(90), fc.integer({ min: 9, max: 120 }), async (count, largestPage) => {
        const { client, requests } = clientOf({ people: upTo(count), largestPage });
        const found = await searchPeople(client, 'firm.example', {});
        expect(found.gap).toBeNull();
        expect([...idsOf(found)]).toEqual(upTo(count));
        expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(requests.length);
      }),
    );
  });

  it('requests no page twice while the list does not change', async () => {
    const { client, requests } = clientOf({ people: upTo(230) });
    await searchPeople(client, 'firm.example', {});
    expect(requests).toEqual([1, 2, 3].map((page) => ({ domain_list: ['firm.example'], page, per_page: 100 })));
  });

  it('finds everybody who stays in a list that others leave and enter meanwhile', async () => {
    const change = fc.record({ at: fc.nat(5), leaves: fc.option(fc.nat(60)), enters: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, leaves, enters }) => {
        let requests = 0;
        const before = (server: Server): void => {
          // Nobody can notice that one person enters at the same time as another one leaves.
          if (requests++ !== at || (leaves !== null && enters)) return;
          if (leaves !== null) server.people = server.people.filter((id) => id !== leaves);
          if (enters) server.people.unshift(1_000);
        };
        const { client } = clientOf({ people: upTo(60), largestPage: 10, before });
        const found = await searchPeople(client, 'firm.example', {});
        expect(found.gap).toBeNull();
        for (const id of upTo(60).filter((one) => one !== leaves)) expect(idsOf(found)).toContain(id);
      }),
    );
  });

  it('says how many people it did not read beyond page 100', async () => {
    const { client, requests } = clientOf({ people: upTo(12_345) });
    const { gap } = await searchPeople(client, 'firm.example', {});
    expect(gap).toMatch(/^The API reports 12,345 people at firm\.example\. The run read 10,000\./);
    expect(requests).toHaveLength(100);
  });

  it('says so if the API shows fewer pages than it reports', async () => {
    const { client } = clientOf({ people: upTo(250), lastPage: 2 });
    const { gap } = await searchPeople(client, 'firm.example', {});
    expect(gap).toMatch(/reports 250 people.*read 200\./);
  });

  it('counts an item without an id as a person', async () => {
    const { client, requests } = clientOf({ people: [1, null, 3] });
    expect((await searchPeople(client, 'firm.example', {})).gap).toBeNull();
    expect(requests).toHaveLength(1);
  });

  it('fails if the API rejects the first page', async () => {
    const { client } = clientOf({ people: upTo(5), lastPage: 0 });
    await expect(searchPeople(client, 'firm.example', {})).rejects.toBeInstanceOf(InvalidRequestError);
  });
});
