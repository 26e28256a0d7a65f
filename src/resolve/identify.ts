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

export interface Identified {
  kind: MatchKind;
  response: ApiResponse<{ id?: unknown }>;
}

const AUTOCOMPLETE = 'POST /v2/autocomplete';

type Ask = (client: ApiClient, call: { signal: AbortSignal }) => Promise<ApiResponse<{ id?: unknown }>>;

/**
 * Requests that may find a company, the surest first: numbers of a register, then addresses that belong to it, then its
 * name. Each is asked only where the one before found nothing.
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
    // The register is asked by country, in the US by state too; without it whoever has that number.
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
 * Asks for a company in every way there is until one finds it; routes that are refused to the key are left out.
 * @returns the answer that names a company, else the last one, which names none
 * @throws NotFoundError when no way found one; InvalidRequestError when the API refused one of them and no other found
 * it; where a way was refused to the key and no other found it, that refusal, or RoutesClosedError when none was sent
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
      // How "no match" is answered is not in the reference: not found, or a record without an id.
      if (response.data?.id !== undefined && response.data.id !== null) return { kind, response };
      nameless = { kind, response };
    } catch (error) {
      if (error instanceof NotFoundError) missed = error;
      else if (error instanceof InvalidRequestError || error instanceof AutocompleteFieldError) refused ??= error;
      else if (isRefusal(error)) denied = routes.isClosed(route) ? new RoutesClosedError() : error;
      else throw error;
    }
  }
  // Whether it would have been found there is not known, so it is no miss.
  if (denied !== undefined) throw denied;
  if (refused !== undefined) throw refused;
  if (nameless !== undefined) return nameless;
  throw missed ?? new Error('a question without anything that identifies a company');
}
