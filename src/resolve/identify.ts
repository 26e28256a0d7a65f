import type { CompanyQuestion, MatchKind } from '../../schemas/pipeline/resolve.js';
import {
  AutocompleteFieldError,
  InvalidRequestError,
  NotFoundError,
  type ApiClient,
  type ApiResponse,
} from '../api-client/index.js';

export interface Identified {
  kind: MatchKind;
  response: ApiResponse<{ id?: unknown }>;
}

type Ask = (client: ApiClient, call: { signal: AbortSignal }) => Promise<ApiResponse<{ id?: unknown }>>;

/**
 * Requests that may find a company, the surest first: numbers of a register, then addresses that belong to it, then its
 * name. Each is asked only where the one before found nothing.
 */
export function waysToFind(question: CompanyQuestion): [MatchKind, Ask][] {
  const { name, country_code, state, registration_number, vat_number, ticker, website, email, profile } = question;
  const country = country_code === undefined ? {} : { country_code };
  const numbers = {
    ...(registration_number === undefined ? {} : { registration_number }),
    ...(vat_number === undefined ? {} : { vat_number }),
    ...(ticker === undefined ? {} : { ticker }),
  };
  const ways: [MatchKind, Ask][] = [];
  if (Object.keys(numbers).length > 0) {
    // The register is asked by country, in the US by state too; without it whoever has that number.
    const known = country_code !== undefined && (country_code !== 'US' || state !== undefined);
    const where = { country_code: country_code ?? '', ...(state === undefined ? {} : { state }) };
    ways.push([
      'registration',
      known
        ? async (client, call) => client.v2.enrichment.company({ ...numbers, ...where }, call)
        : async (client, call) => client.v2.autocomplete({ ...numbers, ...country }, call),
    ]);
  }
  if (website !== undefined) ways.push(['website', async (client, call) => client.v2.enrichment.url(website, call)]);
  if (profile !== undefined)
    ways.push(['profile', async (client, call) => client.v2.enrichment.companyByPronet(profile, call)]);
  if (email !== undefined)
    ways.push(['email', async (client, call) => client.v2.autocomplete({ email, ...country }, call)]);
  if (name !== undefined)
    ways.push(['name', async (client, call) => client.v2.autocomplete({ name, ...country }, call)]);
  return ways;
}

/**
 * Asks for a company in every way there is until one finds it.
 * @returns the answer that names a company, else the last one, which names none
 * @throws NotFoundError when no way found one; InvalidRequestError when the API refused one of them and no other found it
 */
export async function identify(client: ApiClient, question: CompanyQuestion, signal: AbortSignal): Promise<Identified> {
  let nameless: Identified | undefined;
  let missed: NotFoundError | undefined;
  let refused: InvalidRequestError | AutocompleteFieldError | undefined;
  for (const [kind, ask] of waysToFind(question)) {
    try {
      const response = await ask(client, { signal });
      // How "no match" is answered is not in the reference: not found, or a record without an id.
      if (response.data?.id !== undefined && response.data.id !== null) return { kind, response };
      nameless = { kind, response };
    } catch (error) {
      if (error instanceof NotFoundError) missed = error;
      else if (error instanceof InvalidRequestError || error instanceof AutocompleteFieldError) refused ??= error;
      else throw error;
    }
  }
  if (refused !== undefined) throw refused;
  if (nameless !== undefined) return nameless;
  throw missed ?? new Error('a question without anything that identifies a company');
}
