import { invalid, notFound } from './answers.js';
import { writeId, writeRecord, type StubCompany } from './companies.js';
import { peopleOf, type StubPerson } from './people.js';
import type { Answer, Asked, StubState } from './state.js';

/*
 * Enrichment, autocomplete and company search. Where the reference is silent:
 * - Nothing found: in turn 404, an empty object, or a record whose fields are null.
 * - Autocomplete needs one of the five fields that its error names. It forgives small errors in names.
 * - A company search compares names by their beginning, and ignores capitals. It answers two companies a page.
 */

const FIVE = ['name', 'registration_number', 'vat_number', 'website', 'phone_number'];
const PER_PAGE = 2;

/** The routes that find companies; undefined for other routes. */
export function answerResolve(state: StubState, { path, body }: Asked): Answer | undefined {
  // sources.ts finds companies by ticker.
  if ('ticker' in body && path !== '/v2/overview') return undefined;
  switch (path) {
    case '/v2/enrichment/url':
      return one(state, typeof body['url'] === 'string' ? byHost(state, body['url']) : undefined, {
        status: undefined,
      });
    case '/v2/enrichment/company/pronet':
      return one(state, byProfile(state, body['pronet']));
    case '/v2/enrichment/company':
      return enrichCompany(state, body);
    case '/v2/autocomplete':
      return autocomplete(state, body);
    case '/v2/overview':
      return overview(state, body);
    default:
      return undefined;
  }
}

/** Profile address of a company; not in its record. */
export function profileOf({ place }: Pick<StubCompany, 'place'>): string {
  return `https://network.example/org/firm-${place}`;
}

export function leiOf({ place }: Pick<StubCompany, 'place'>): string {
  return `STUB0000${String(place).padStart(10, '0')}XX`;
}

function enrichCompany(state: StubState, body: Record<string, unknown>): Answer {
  const { country_code, state: region } = body;
  if (typeof country_code !== 'string') return invalid(state, 'country_code', 'Required.');
  if (country_code === 'US' && region === undefined) return invalid(state, 'state', 'Required.');
  return one(
    state,
    first(state, (company) => isCountry(company, country_code) && hasNumbers(company, body)),
  );
}

function autocomplete(state: StubState, body: Record<string, unknown>): Answer {
  if (!FIVE.some((field) => field in body)) {
    return { status: 400, body: { fields: [`One of ${FIVE.join(', ')} is needed beside the country.`] } };
  }
  const { country_code, name, website } = body;
  return one(
    state,
    first(
      state,
      (company) =>
        (country_code === undefined || isCountry(company, country_code)) &&
        hasNumbers(company, body) &&
        (website === undefined || hostOf(company.website) === hostOf(website)) &&
        (name === undefined || letters(company.name).includes(letters(name).slice(0, 7))),
    ),
  );
}

function overview(state: StubState, body: Record<string, unknown>): Answer {
  const { page = 1, per_page = PER_PAGE, country_code, name, lei_number, phone_number, person, postal_codes } = body;
  if (Number(per_page) > 5) return invalid(state, 'per_page', 'At most 5.');
  if (postal_codes !== undefined && !Array.isArray(postal_codes)) return invalid(state, 'postal_codes', 'Not a list.');
  const found = present(state).filter(
    (company) =>
      (country_code === undefined || isCountry(company, country_code)) &&
      hasNumbers(company, body) &&
      (lei_number === undefined || leiOf(company) === lei_number) &&
      (phone_number === undefined || company.phones.some((phone) => digits(phone) === digits(phone_number))) &&
      (name === undefined || letters(company.name).startsWith(letters(name))) &&
      (person === undefined || peopleOf(company).some((employee) => letters(fullName(employee)) === letters(person))),
  );
  const size = Math.min(Number(per_page), PER_PAGE);
  const from = (Number(page) - 1) * size;
  return {
    status: 200,
    body: {
      total_results: found.length,
      total_pages: Math.ceil(found.length / size),
      data: found.slice(from, from + size).map((company) => ({
        registration_number: company.registration,
        country_code: company.country.code,
        status: 'Active',
        name: company.name,
        id: writeId(company, state.options.ids, state.turn),
      })),
    },
  };
}

/** A record; or one of three shapes of "nothing". */
function one(state: StubState, company: StubCompany | undefined, change: Record<string, unknown> = {}): Answer {
  if (company !== undefined) {
    const record = { ...writeRecord(company, state.options.ids, state.turn), ...change };
    return { status: 200, body: record };
  }
  return [notFound(state), { status: 200, body: {} }, { status: 200, body: { id: null, name: null } }][state.turn % 3]!;
}

function present({ companies }: StubState): StubCompany[] {
  return companies.filter(({ gone }) => !gone);
}

function first(state: StubState, test: (company: StubCompany) => boolean): StubCompany | undefined {
  return present(state).find(test);
}

function byHost(state: StubState, url: string): StubCompany | undefined {
  return first(state, ({ website, emails }) =>
    [website, ...emails.map((email) => email.replace(/^.*@/, ''))].some(
      (address) => address !== null && hostOf(address) === hostOf(url),
    ),
  );
}

function byProfile(state: StubState, url: unknown): StubCompany | undefined {
  return first(state, (company) => profileOf(company) === url);
}

function isCountry({ country }: StubCompany, code: unknown): boolean {
  return country.code === code;
}

function hasNumbers({ registration, vat }: StubCompany, asked: Record<string, unknown>): boolean {
  const { registration_number, vat_number, ticker } = asked;
  return (
    ticker === undefined &&
    (registration_number === undefined || registration === registration_number) &&
    (vat_number === undefined || vat === vat_number)
  );
}

function fullName({ firstName, lastName }: StubPerson): string {
  return `${firstName} ${lastName}`;
}

function hostOf(url: unknown): string {
  return String(url)
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/.*$/, '');
}

function letters(text: unknown): string {
  return String(text).toLowerCase();
}

function digits(text: unknown): string {
  return String(text).replaceAll(/\D/g, '');
}
