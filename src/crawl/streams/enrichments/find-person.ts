import type { PersonQuestion } from '../../../../schemas/pipeline/enrich.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import type { Routes } from '../../judge/routes.js';
import { tryWays } from '../try-ways.js';
import { searchPeople } from './search-people.js';

/** One way to find a person: a route and its requests. */
interface Way {
  route: string;
  ask: (client: ApiClient, call: CallOptions) => Promise<PersonAnswer>;
}

/** The answers of one way. A search may have several pages; all other ways have one answer. */
export interface PersonAnswer {
  pages: readonly ApiResponse<unknown>[];
  /** A sentence that says which people a search did not read; null if it read all, and for all other ways. */
  gap: string | null;
}

/**
 * Lists the requests that may find a person. The most reliable comes first: e-mail, profile, name with company, search
 * in the domain. Asks the API to reveal an e-mail address or phone number only if the question says so.
 */
export function waysToFindPerson(question: PersonQuestion): Way[] {
  const { email, profile, first_name, last_name, company_name, domain } = question;
  const asked = question.reveal?.split(',') ?? [];
  const reveal = { reveal_email: asked.includes('email'), reveal_phone: asked.includes('phone') };
  const ways: Way[] = [];
  if (email !== undefined) {
    ways.push({
      route: 'POST /v2/enrichment/email',
      ask: async (client, call) =>
        single(await client.v2.enrichment.email({ email, reveal_phone: reveal.reveal_phone }, call)),
    });
  }
  if (profile !== undefined) {
    ways.push({
      route: 'POST /v2/enrichment/employee/pronet',
      ask: async (client, call) =>
        single(await client.v2.enrichment.employeeByPronet({ pronet: `https://${profile}`, ...reveal }, call)),
    });
  }
  if (first_name !== undefined && last_name !== undefined && (company_name ?? domain) !== undefined) {
    const company = {
      ...(company_name === undefined ? {} : { company_name }),
      ...(domain === undefined ? {} : { domain }),
    };
    ways.push({
      route: 'POST /v2/enrichment/employee/contacts',
      ask: async (client, call) =>
        single(await client.v2.enrichment.employeeByContacts({ first_name, last_name, ...company, ...reveal }, call)),
    });
    if (domain !== undefined) {
      ways.push({
        route: 'POST /v2/enrichment/employee/search',
        ask: async (client, call) => searchPeople(client, domain, call),
      });
    }
  }
  return ways;
}

function single(answer: ApiResponse<unknown>): PersonAnswer {
  return { pages: [answer], gap: null };
}

/**
 * Tries one way after another until an answer names the person.
 * @returns that answer; if there is none, the last answer, which names nobody
 * @throws NotFoundError when every answer was "not found"
 * @throws InvalidRequestError when the API rejected every request
 * @throws the API's error or RoutesClosedError, when the API refused a route and no other request found the person
 */
export async function findPerson(
  client: ApiClient,
  question: PersonQuestion,
  signal: AbortSignal,
  routes: Routes,
): Promise<PersonAnswer> {
  let nobody: PersonAnswer | undefined;
  let found: PersonAnswer | undefined;
  const { denied, missed } = await tryWays(waysToFindPerson(question), async ({ route, ask }) => {
    const answer = await routes.send(route, async () => ask(client, { signal }));
    if (namesPerson(answer, question)) found = answer;
    else nobody = answer;
    return found !== undefined;
  });
  if (found !== undefined) return found;
  if (denied !== undefined) throw denied;
  if (nobody !== undefined) return nobody;
  throw missed ?? new Error('a question without anything that identifies a person');
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
