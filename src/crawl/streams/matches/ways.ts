import type { CompanyQuestion, MatchKind } from '../../../../schemas/pipeline/resolve.js';
import type { AutocompleteRequest } from '../../../../schemas/v2/autocomplete.js';
import type { EnrichCompanyRequest } from '../../../../schemas/v2/enrichment.js';
import { OVERVIEW_MAX_PER_PAGE, type OverviewRequest } from '../../../../schemas/v2/overview.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import { domainOf } from '../../../base/identifiers/email.js';
import { phoneSpellings } from '../../../base/identifiers/phone.js';
import { profileSpellings } from '../../../base/identifiers/profile.js';
import { isPublicMail } from '../../../base/identifiers/public-mail.js';
import { registrationSpellings } from '../../../base/identifiers/registration.js';
import type { Given } from '../../../base/identifiers/text.js';
import { tickerSpellings } from '../../../base/identifiers/ticker.js';
import { vatSpellings } from '../../../base/identifiers/vat.js';
import { isOwnSite, websiteSpellings } from '../../../base/identifiers/website.js';

/** One request that may find a company. */
export interface Way {
  kind: MatchKind;
  route: string;
  /** Sends the request for one page. If the request returns a single record, there is one page. */
  ask: (client: ApiClient, call: CallOptions, page: number) => Promise<ApiResponse<unknown>>;
  /** True: send this request only if the requests before it found no candidate. */
  fallback?: boolean;
}

/**
 * Lists the requests that may find a company. The most reliable and cheapest comes first: register numbers, LEI,
 * website, profile, e-mail domain, phone, person, name. A request is sent only if the requests before it did not
 * identify the company. Each identifier is first asked as the list spells it. At most two other spellings follow, such
 * as a VAT number without its prefix, and only if nothing is found.
 */
export function waysToFind(question: CompanyQuestion): Way[] {
  return [
    ...byNumbers(question),
    ...byAddresses(question),
    ...singleNumbers(question),
    ...byPhoneAndPerson(question),
    ...byName(question),
    ...byWholeEmail(question),
  ];
}

function byNumbers({ country_code, state, lei_number, ...question }: CompanyQuestion): Way[] {
  // A search by register number needs the country, and in the US the state. If one of them is missing, use
  // autocomplete, which searches all registers.
  const known = country_code !== undefined && (country_code !== 'US' || state !== undefined);
  const ways = spelledWays(spellingsOf(numbersOf(question), country_code), (numbers) =>
    known
      ? byRegister('registration', { ...numbers, country_code, ...definedOf({ state }) })
      : autocomplete('registration', { ...numbers, ...definedOf({ country_code }) }),
  );
  if (lei_number !== undefined) ways.push(overview('lei', { lei_number }));
  return ways;
}

const SPELLINGS = {
  registration_number: registrationSpellings,
  vat_number: vatSpellings,
  ticker: ({ value }: Given) => tickerSpellings(value),
};

type Numbers = Partial<Record<keyof typeof SPELLINGS, string>>;

function numbersOf({ registration_number, vat_number, ticker }: CompanyQuestion): Numbers {
  return definedOf({ registration_number, vat_number, ticker });
}

/**
 * Returns the numbers as given, and at most two other spellings of them. If one number has fewer spellings, its last one
 * is repeated.
 */
function spellingsOf(numbers: Numbers, country: string | undefined): Numbers[] {
  const spelled = (Object.entries(numbers) as [keyof Numbers, string][]).map(
    ([name, value]) => [name, [value, ...SPELLINGS[name]({ value, country })]] as const,
  );
  const most = Math.max(0, ...spelled.map(([, spellings]) => spellings.length));
  return Array.from({ length: most }, (_, n) =>
    Object.fromEntries(spelled.map(([name, spellings]) => [name, spellings[n] ?? spellings.at(-1)])),
  );
}

/** Returns one way for each spelling. All but the first are asked only if nothing is found. */
function spelledWays<T>(spellings: readonly T[], way: (spelling: T) => Way): Way[] {
  return spellings.map((spelling, i) => (i === 0 ? way(spelling) : fallback(way(spelling))));
}

function byAddresses({ website, profile, email }: CompanyQuestion): Way[] {
  const ways: Way[] = [];
  if (website !== undefined && isOwnSite(website))
    ways.push(...spelledWays(websiteSpellings(website), (url) => byUrl('website', url)));
  if (profile !== undefined) {
    ways.push(
      ...spelledWays(profileSpellings(profile), (address) => byPronet('profile', withScheme(address))),
      fallback(prospecting('profile', { pronet: withScheme(profile) })),
    );
  }
  const domain = email === undefined ? '' : domainOf(email);
  const asked = new Set(website === undefined ? [] : websiteSpellings(website));
  const spellings = websiteSpellings(domain).filter((spelling) => !asked.has(spelling));
  if (domain.includes('.') && !isPublicMail(domain)) ways.push(...spelledWays(spellings, (url) => byUrl('email', url)));
  return ways;
}

/**
 * Searches by each number alone and in every country. This finds the company if another number or the country is wrong.
 */
function singleNumbers(question: CompanyQuestion): Way[] {
  return Object.entries(numbersOf(question)).map(([name, value]) =>
    fallback(overview('registration', { [name]: value })),
  );
}

function byPhoneAndPerson({ country_code, state, phone, person, name }: CompanyQuestion): Way[] {
  const ways: Way[] = [];
  if (phone !== undefined)
    ways.push(
      ...spelledWays(phoneSpellings({ value: phone, country: country_code }), (phone_number) =>
        overview('phone', { phone_number, ...definedOf({ country_code }) }),
      ),
    );
  if (person !== undefined) ways.push(overview('person', { person, ...definedOf({ name, country_code, state }) }));
  return ways;
}

function byName({ name, country_code, state, postal_code }: CompanyQuestion): Way[] {
  if (name === undefined) return [];
  const country = definedOf({ country_code });
  const place = { ...country, ...definedOf({ state }), ...(postal_code ? { postal_codes: [postal_code] } : {}) };
  const ways = [overview('name', { name, ...place }), fallback(autocomplete('name', { name, ...country }))];
  const bare = withoutLegalForm(name);
  // The search above misses the company if the country, postal code or legal form is wrong. So also search by the
  // bare name.
  if (bare !== name || Object.keys(place).length > 0) ways.push(fallback(overview('name', { name: bare })));
  return ways;
}

/**
 * Sends the whole e-mail address to autocomplete. If the API enforces its strict rule, it refuses an e-mail address
 * without other fields.
 */
function byWholeEmail({ email, country_code }: CompanyQuestion): Way[] {
  if (email === undefined || !email.includes('@') || isPublicMail(domainOf(email))) return [];
  return [fallback(autocomplete('email', { email, ...definedOf({ country_code }) }))];
}

function fallback(way: Way): Way {
  return { ...way, fallback: true };
}

/** Makes a function that makes the ways of a route. */
function waysBy<Query>(
  route: string,
  send: (client: ApiClient, query: Query, call: CallOptions, page: number) => Promise<ApiResponse<unknown>>,
): (kind: MatchKind, query: Query) => Way {
  return (kind, query) => ({ kind, route, ask: (client, call, page) => send(client, query, call, page) });
}

const byRegister = waysBy('POST /v2/enrichment/company', ({ v2 }, query: EnrichCompanyRequest, call) =>
  v2.enrichment.company(query, call),
);
const byUrl = waysBy('POST /v2/enrichment/url', ({ v2 }, url: string, call) => v2.enrichment.url(url, call));
const byPronet = waysBy('POST /v2/enrichment/company/pronet', ({ v2 }, address: string, call) =>
  v2.enrichment.companyByPronet(address, call),
);
const prospecting = waysBy('POST /v2/prospecting', ({ v2 }, filters: Record<string, unknown>, call) =>
  v2.prospecting({ filters }, call),
);
const autocomplete = waysBy('POST /v2/autocomplete', ({ v2 }, query: AutocompleteRequest, call) =>
  v2.autocomplete(query, call),
);
const overview = waysBy('POST /v2/overview', ({ v2 }, query: OverviewRequest, call, page) =>
  v2.overview({ ...query, page, per_page: OVERVIEW_MAX_PER_PAGE }, call),
);

/** Returns an address as a URL, because the API expects one. */
function withScheme(address: string): string {
  return `https://${address}`;
}

// The most common legal forms at the end of a name. The macros that compute the score ignore many more
// (sql/macros/match.sql).
const LEGAL_FORM =
  /[\s,]+(ltd|limited|plc|llp|llc|inc|incorporated|corp|corporation|co|company|gmbh|ag|kg|sarl|s\.?à\s?r\.?l|sas|sa|bv|b\.v|nv|n\.v|srl|s\.r\.l|spa|s\.p\.a|aps|a\/s|i\/s|ab|as|asa|oy|oyj|sl|s\.l|s\.a|pty ltd|pte\.? ltd)\.?$/i;

/** Removes a legal form from the end of a name. */
function withoutLegalForm(name: string): string {
  const bare = name.replace(LEGAL_FORM, '');
  return bare === '' ? name : bare;
}

function definedOf<T extends Record<string, string | undefined>>(values: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}
