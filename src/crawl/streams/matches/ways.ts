import type { CompanyQuestion, MatchKind } from '../../../../schemas/pipeline/resolve.js';
import type { OverviewRequest } from '../../../../schemas/v2/overview.js';
import { OVERVIEW_MAX_PER_PAGE } from '../../../../schemas/v2/overview.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../../api/index.js';
import { domainOf } from '../../../base/identifiers/email.js';
import { phoneSpellings } from '../../../base/identifiers/phone.js';
import { profileSpellings } from '../../../base/identifiers/profile.js';
import { isPublicMail } from '../../../base/identifiers/public-mail.js';
import { registrationSpellings } from '../../../base/identifiers/registration.js';
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

const AUTOCOMPLETE = 'POST /v2/autocomplete';
const OVERVIEW = 'POST /v2/overview';

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

function byNumbers({
  country_code,
  state,
  registration_number,
  vat_number,
  ticker,
  lei_number,
}: CompanyQuestion): Way[] {
  const numbers = definedOf({ registration_number, vat_number, ticker });
  // A search by register number needs the country, and in the US the state. If one of them is missing, use
  // autocomplete, which searches all registers.
  const known = country_code !== undefined && (country_code !== 'US' || state !== undefined);
  const where = { country_code: country_code ?? '', ...definedOf({ state }) };
  const ways = spelledWays(spellingsOf(numbers, country_code), (spelled) => ({
    kind: 'registration',
    route: known ? 'POST /v2/enrichment/company' : AUTOCOMPLETE,
    ask: async (client, call) =>
      known
        ? client.v2.enrichment.company({ ...spelled, ...where }, call)
        : client.v2.autocomplete({ ...spelled, ...definedOf({ country_code }) }, call),
  }));
  if (lei_number !== undefined) ways.push(overview('lei', { lei_number }));
  return ways;
}

type Numbers = { registration_number?: string; vat_number?: string; ticker?: string };

/**
 * Returns the numbers as given, and at most two other spellings of them. If one number has fewer spellings, its last one
 * is repeated.
 */
function spellingsOf(numbers: Numbers, country: string | undefined): Numbers[] {
  const { registration_number, vat_number, ticker } = numbers;
  if (Object.keys(numbers).length === 0) return [];
  const others = {
    ...(registration_number !== undefined && {
      registration_number: registrationSpellings({ value: registration_number, country }),
    }),
    ...(vat_number !== undefined && { vat_number: vatSpellings({ value: vat_number, country }) }),
    ...(ticker !== undefined && { ticker: tickerSpellings(ticker) }),
  };
  const count = Math.max(...Object.values(others).map((spellings) => spellings.length));
  return Array.from({ length: 1 + count }, (_, n) => ({
    ...numbers,
    ...Object.fromEntries(
      Object.entries(others).flatMap(([name, spellings]) => {
        const spelling = n === 0 ? undefined : (spellings[n - 1] ?? spellings.at(-1));
        return spelling === undefined ? [] : [[name, spelling]];
      }),
    ),
  }));
}

/** Returns one way for each spelling. All but the first are asked only if nothing is found. */
function spelledWays<T>(spellings: readonly T[], way: (spelling: T) => Way): Way[] {
  return spellings.map((spelling, i) => (i === 0 ? way(spelling) : { ...way(spelling), fallback: true }));
}

function byAddresses({ website, profile, email }: CompanyQuestion): Way[] {
  const ways: Way[] = [];
  if (website !== undefined && isOwnSite(website))
    ways.push(...spelledWays(websiteSpellings(website), (url) => byUrl('website', url)));
  if (profile !== undefined) {
    ways.push(
      ...spelledWays(profileSpellings(profile), (address): Way => ({
        kind: 'profile',
        route: 'POST /v2/enrichment/company/pronet',
        ask: async (client, call) => client.v2.enrichment.companyByPronet(withScheme(address), call),
      })),
      {
        kind: 'profile',
        route: 'POST /v2/prospecting',
        fallback: true,
        ask: async (client, call) => client.v2.prospecting({ filters: { pronet: withScheme(profile) } }, call),
      },
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
function singleNumbers({ registration_number, vat_number, ticker }: CompanyQuestion): Way[] {
  return Object.entries(definedOf({ registration_number, vat_number, ticker })).map(([name, value]) => ({
    ...overview('registration', { [name]: value }),
    fallback: true,
  }));
}

function byPhoneAndPerson({ country_code, state, phone, person, name }: CompanyQuestion): Way[] {
  const where = definedOf({ country_code, state });
  return [
    ...(phone === undefined
      ? []
      : spelledWays(phoneSpellings({ value: phone, country: country_code }), (phone_number) =>
          overview('phone', { phone_number, ...definedOf({ country_code }) }),
        )),
    ...(person === undefined ? [] : [overview('person', { person, ...definedOf({ name }), ...where })]),
  ];
}

function byName({ name, country_code, state, postal_code }: CompanyQuestion): Way[] {
  if (name === undefined) return [];
  const country = definedOf({ country_code });
  const place = { ...country, ...definedOf({ state }), ...(postal_code ? { postal_codes: [postal_code] } : {}) };
  const bare = withoutLegalForm(name);
  return [
    overview('name', { name, ...place }),
    {
      kind: 'name',
      route: AUTOCOMPLETE,
      fallback: true,
      ask: async (client, call) => client.v2.autocomplete({ name, ...country }, call),
    },
    // The search above misses the company if the country, postal code or legal form is wrong. So also search by the
    // bare name.
    ...(bare === name && Object.keys(place).length === 0
      ? []
      : [{ ...overview('name', { name: bare }), fallback: true }]),
  ];
}

/**
 * Sends the whole e-mail address to autocomplete. If the API enforces its strict rule, it refuses an e-mail address
 * without other fields.
 */
function byWholeEmail({ email, country_code }: CompanyQuestion): Way[] {
  if (email === undefined || !email.includes('@') || isPublicMail(domainOf(email))) return [];
  return [
    {
      kind: 'email',
      route: AUTOCOMPLETE,
      fallback: true,
      ask: async (client, call) => client.v2.autocomplete({ email, ...definedOf({ country_code }) }, call),
    },
  ];
}

function byUrl(kind: MatchKind, url: string): Way {
  return {
    kind,
    route: 'POST /v2/enrichment/url',
    ask: async (client, call) => client.v2.enrichment.url(url, call),
  };
}

function overview(kind: MatchKind, query: OverviewRequest): Way {
  return {
    kind,
    route: OVERVIEW,
    ask: async (client, call, page) => client.v2.overview({ ...query, page, per_page: OVERVIEW_MAX_PER_PAGE }, call),
  };
}

/** Returns an address as a URL, because the API expects one. */
function withScheme(address: string): string {
  return `https://${address}`;
}

// The most common legal forms at the end of a name. The macros that compute the score ignore many more
// (sql/macros/match.sql).
const LEGAL_FORM =
  /[\s,]+(ltd|limited|plc|llp|llc|inc|incorporated|corp|corporation|co|company|gmbh|ag|kg|sarl|s\.?à\s?r\.?l|sas|sa|bv|b\.v|nv|n\.v|srl|s\.r\.l|spa|s\.p\.a|aps|a\/s|i\/s|ab|as|asa|oy|oyj|sl|s\.l|s\.a|pty ltd|pte\.? ltd)\.?$/i;

/** Removes a legal form from the end of a name. */
export function withoutLegalForm(name: string): string {
  const bare = name.replace(LEGAL_FORM, '');
  return bare === '' ? name : bare;
}

function definedOf<T extends Record<string, string | undefined>>(values: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}
