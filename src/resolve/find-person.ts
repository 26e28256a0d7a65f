import type { PersonQuestion } from '../../schemas/pipeline/enrich.js';
import {
  InvalidRequestError,
  isRefusal,
  NotFoundError,
  type ApiClient,
  type ApiResponse,
  type CallOptions,
} from '../api-client/index.js';
import { RoutesClosedError, type Routes } from './routes.js';

/** One request that may find a person. */
interface Way {
  route: string;
  ask: (client: ApiClient, call: CallOptions) => Promise<ApiResponse<unknown>>;
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
      ask: async (client, call) => client.v2.enrichment.email({ email, reveal_phone: reveal.reveal_phone }, call),
    });
  }
  if (profile !== undefined) {
    ways.push({
      route: 'POST /v2/enrichment/employee/pronet',
      ask: async (client, call) =>
        client.v2.enrichment.employeeByPronet({ pronet: `https://${profile}`, ...reveal }, call),
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
        client.v2.enrichment.employeeByContacts({ first_name, last_name, ...company, ...reveal }, call),
    });
    if (domain !== undefined) {
      ways.push({
        route: 'POST /v2/enrichment/employee/search',
        ask: async (client, call) => client.v2.enrichment.searchEmployees({ domain_list: [domain] }, call),
      });
    }
  }
  return ways;
}

/**
 * Sends one request after another until an answer names the person.
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
): Promise<ApiResponse<unknown>> {
  let nobody: ApiResponse<unknown> | undefined;
  let missed: NotFoundError | undefined;
  let rejected: InvalidRequestError | undefined;
  let denied: Error | undefined;
  for (const way of waysToFindPerson(question)) {
    if (routes.isClosed(way.route)) {
      denied ??= new RoutesClosedError();
      continue;
    }
    try {
      const response = await routes.send(way.route, async () => way.ask(client, { signal }));
      if (namesPerson(response.data, question)) return response;
      nobody = response;
    } catch (error) {
      if (error instanceof NotFoundError) missed = error;
      else if (error instanceof InvalidRequestError) rejected ??= error;
      else if (isRefusal(error)) denied = routes.isClosed(way.route) ? new RoutesClosedError() : error;
      else throw error;
    }
  }
  if (denied !== undefined) throw denied;
  if (nobody !== undefined) return nobody;
  throw missed ?? rejected ?? new Error('a question without anything that identifies a person');
}

/**
 * Whether an answer names the person. A search lists several people of the domain. Then exactly one of them must have
 * the person's name.
 */
function namesPerson(data: unknown, { first_name, last_name }: PersonQuestion): boolean {
  const { id, data: list } = data as { id?: unknown; data?: unknown };
  if (!Array.isArray(list)) return id !== undefined && id !== null && id !== '';
  const wanted = `${first_name} ${last_name}`.toLowerCase();
  const same = list.filter(
    (item: { first_name?: unknown; last_name?: unknown } | null) =>
      item !== null && `${String(item.first_name)} ${String(item.last_name)}`.toLowerCase() === wanted,
  );
  return same.length === 1;
}
