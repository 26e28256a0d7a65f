import type { CompanyQuestion, MatchKind } from '../../schemas/pipeline/resolve.js';
import {
  AutocompleteFieldError,
  InvalidRequestError,
  isRefusal,
  NotFoundError,
  type ApiClient,
  type ApiResponse,
} from '../api-client/index.js';
import { RoutesClosedError, type Routes } from './routes.js';

/** The answer that identifies a company, and the kind of request to which it is the answer. */
export interface Identified {
  kind: MatchKind;
  response: ApiResponse<{ id?: unknown }>;
}

const AUTOCOMPLETE = 'POST /v2/autocomplete';

type Ask = (client: ApiClient, call: { signal: AbortSignal }) => Promise<ApiResponse<{ id?: unknown }>>;

/**
 * Lists the requests that may find a company, the most reliable first: register numbers, website, profile, e-mail,
 * name. A request is sent only if the earlier requests found nothing.
 */
export function waysToFind(question: CompanyQuestion): [kind: MatchKind, ask: Ask, route: string][] {
  const { name, country_code, state, registration_number, vat_number, ticker, website, email, profile } = question;
  const country = country_code === undefined ? {} : { country_code };
  const numbers = {
    ...(registration_number === undefined ? {} : { registration_number }),
    ...(vat_number === undefined ? {} : { vat_number }),
    ...(ticker === undefined ? {} : { ticker }),
  };
  const ways: [MatchKind, Ask, string][] = [];
  if (Object.keys(numbers).length > 0) {
    // A search in a register needs the country, and in the US the state. Without these, autocomplete searches all
    // registers.
    const known = country_code !== undefined && (country_code !== 'US' || state !== undefined);
    const where = { country_code: country_code ?? '', ...(state === undefined ? {} : { state }) };
    ways.push([
      'registration',
      known
        ? async (client, call) => client.v2.enrichment.company({ ...numbers, ...where }, call)
        : async (client, call) => client.v2.autocomplete({ ...numbers, ...country }, call),
      known ? 'POST /v2/enrichment/company' : AUTOCOMPLETE,
    ]);
  }
  if (website !== undefined) {
    const ask: Ask = async (client, call) => client.v2.enrichment.url(website, call);
    ways.push(['website', ask, 'POST /v2/enrichment/url']);
  }
  if (profile !== undefined) {
    const ask: Ask = async (client, call) => client.v2.enrichment.companyByPronet(profile, call);
    ways.push(['profile', ask, 'POST /v2/enrichment/company/pronet']);
  }
  if (email !== undefined)
    ways.push(['email', async (client, call) => client.v2.autocomplete({ email, ...country }, call), AUTOCOMPLETE]);
  if (name !== undefined)
    ways.push(['name', async (client, call) => client.v2.autocomplete({ name, ...country }, call), AUTOCOMPLETE]);
  return ways;
}

/**
 * Sends one request after another until a request finds the company. Skips closed routes.
 * @returns the answer that names a company; otherwise the last answer, which names no company
 * @throws NotFoundError when every answer was "not found"
 * @throws InvalidRequestError or AutocompleteFieldError when the API rejected a request and no other request found the
 * company
 * @throws the refusal, when the API refused a route and no other request found the company
 * @throws RoutesClosedError instead of the refusal, when the route is closed
 */
export async function identify(
  client: ApiClient,
  question: CompanyQuestion,
  signal: AbortSignal,
  routes: Routes,
): Promise<Identified> {
  let nameless: Identified | undefined;
  let missed: NotFoundError | undefined;
  let refused: InvalidRequestError | AutocompleteFieldError | undefined;
  let denied: Error | undefined;
  for (const [kind, ask, route] of waysToFind(question)) {
    if (routes.isClosed(route)) {
      denied ??= new RoutesClosedError();
      continue;
    }
    try {
      const response = await routes.send(route, async () => ask(client, { signal }));
      // The reference does not show the answer for "no match". The answer may be NotFound or a record without an id.
      if (response.data?.id !== undefined && response.data.id !== null) return { kind, response };
      nameless = { kind, response };
    } catch (error) {
      if (error instanceof NotFoundError) missed = error;
      else if (error instanceof InvalidRequestError || error instanceof AutocompleteFieldError) refused ??= error;
      else if (isRefusal(error)) denied = routes.isClosed(route) ? new RoutesClosedError() : error;
      else throw error;
    }
  }
  // A request on the refused route might have found the company, so do not report "not found".
  if (denied !== undefined) throw denied;
  if (refused !== undefined) throw refused;
  if (nameless !== undefined) return nameless;
  throw missed ?? new Error('a question without anything that identifies a company');
}
