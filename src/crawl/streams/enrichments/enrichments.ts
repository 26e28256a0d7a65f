import type { PersonQuestion } from '../../../../schemas/pipeline/enrich.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';
import { tryWays } from '../try-ways.js';
import { searchPeople } from './search-people.js';

/** Fetches the answers to the questions of `tidemark enrich --people`. The entity is the question. */
export const enrichments: Fetcher = {
  manyRoutes: true,
  // Lands nothing about people. Such a run only starts with `personalData: contacts`, so this function runs only if the
  // configuration changed later.
  withoutPersonalData: () => '{}',
  async fetch(entity, { client, signal, routes, add }) {
    const question = JSON.parse(entity) as PersonQuestion;
    const ways = waysToFindPerson(question);
    const { pages, gap } = await tryWays<Way, PersonAnswer>(ways, async ({ route, ask }, found) => {
      const answer = await routes.send(route, async () => ask(client, { signal }));
      const isFound = namesPerson(answer, question);
      found[isFound ? 'some' : 'none'] = answer;
      return isFound;
    });
    for (const [i, page] of pages.entries()) add(rowOf(page, entity, `page-${i + 1}`));
    return gap;
  },
};

/** One way to find a person: a route and its requests. */
interface Way {
  route: string;
  ask: (client: ApiClient, call: CallOptions) => Promise<PersonAnswer>;
}

/** The answers of one way. A search may have several pages; all other ways have one answer. */
interface PersonAnswer {
  pages: readonly ApiResponse<unknown>[];
  /** A sentence that says which people a search did not read; null if it read all, and for all other ways. */
  gap: string | null;
}

/**
 * Lists the requests that may find a person. The most reliable comes first: e-mail, profile, name with company, search
 * in the domain. Asks the API to reveal an e-mail address or phone number only if the question says so.
 */
function waysToFindPerson(question: PersonQuestion): Way[] {
  const { email, profile, first_name, last_name, company_name, domain } = question;
  const asked = question.reveal?.split(',') ?? [];
  const reveal = { reveal_email: asked.includes('email'), reveal_phone: asked.includes('phone') };
  const ways: Way[] = [];
  const add = (route: string, ask: (client: ApiClient, call: CallOptions) => Promise<ApiResponse<unknown>>): void => {
    ways.push({ route, ask: async (client, call) => ({ pages: [await ask(client, call)], gap: null }) });
  };
  if (email !== undefined) {
    const query = { email, reveal_phone: reveal.reveal_phone };
    add('POST /v2/enrichment/email', (client, call) => client.v2.enrichment.email(query, call));
  }
  if (profile !== undefined) {
    const query = { pronet: `https://${profile}`, ...reveal };
    add('POST /v2/enrichment/employee/pronet', (client, call) => client.v2.enrichment.employeeByPronet(query, call));
  }
  if (first_name !== undefined && last_name !== undefined && (company_name ?? domain) !== undefined) {
    const company = {
      ...(company_name === undefined ? {} : { company_name }),
      ...(domain === undefined ? {} : { domain }),
    };
    const query = { first_name, last_name, ...company, ...reveal };
    add('POST /v2/enrichment/employee/contacts', (client, call) =>
      client.v2.enrichment.employeeByContacts(query, call),
    );
    if (domain !== undefined) {
      ways.push({
        route: 'POST /v2/enrichment/employee/search',
        ask: async (client, call) => searchPeople(client, domain, call),
      });
    }
  }
  return ways;
}

/**
 * Whether an answer names the person. A search lists the people of the domain. Then exactly one of them must have the
 * person's name, and the search must have read all people.
 */
function namesPerson({ pages, gap }: PersonAnswer, { first_name, last_name }: PersonQuestion): boolean {
  const bodies = pages.map(({ data }) => data as { id?: unknown; data?: unknown });
  if (!bodies.some(({ data }) => Array.isArray(data)))
    return bodies.some(({ id }) => id !== undefined && id !== null && id !== '');
  if (gap !== null) return false;
  const list = bodies.flatMap(({ data }) => (Array.isArray(data) ? (data as unknown[]) : []));
  const wanted = `${first_name} ${last_name}`.toLowerCase();
  const same = (list as ({ id?: unknown; first_name?: unknown; last_name?: unknown } | null)[]).filter(
    (item) => item !== null && `${String(item.first_name)} ${String(item.last_name)}`.toLowerCase() === wanted,
  );
  return new Set(same.map((item) => String(item?.id))).size === 1;
}
