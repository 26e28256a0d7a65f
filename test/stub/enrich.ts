import { invalid, notFound } from './answers.js';
import { writeId, type StubCompany } from './companies.js';
import { Digits } from './json.js';
import { peopleOf, type StubPerson } from './people.js';
import type { Answer, Asked, StubState } from './state.js';

/*
 * Enrichment of people. Where the reference is silent: nobody found is 404 or an empty object in turn; the search lists at
 * most three people a page whatever `per_page` says, with ids as numbers; names are compared without capitals.
 */

/** The routes that find people; undefined for other routes. */
export function answerEnrich(state: StubState, { path, body }: Asked): Answer | undefined {
  switch (path) {
    case '/v2/enrichment/email':
      if (typeof body['email'] !== 'string') return invalid(state, 'email', 'Required.');
      return one(
        state,
        find(state, ({ email }) => email === body['email']),
        { ...body, reveal_email: true },
      );
    case '/v2/enrichment/employee/pronet':
      return one(
        state,
        find(state, (person) => profileOf(person) === body['pronet']),
        body,
      );
    case '/v2/enrichment/employee/contacts':
      return one(state, byContacts(state, body), body);
    case '/v2/enrichment/employee/search':
      return search(state, body);
    default:
      return undefined;
  }
}

interface Found {
  person: StubPerson;
  company: StubCompany;
}

/** Profile address of a person. */
export function profileOf({ id }: StubPerson): string {
  return `https://network.example/in/${id}`;
}

function all({ companies }: StubState): Found[] {
  return companies
    .filter(({ gone }) => !gone)
    .flatMap((company) => peopleOf(company).map((person) => ({ person, company })));
}

function find(state: StubState, test: (person: StubPerson, company: StubCompany) => boolean): Found | undefined {
  return all(state).find(({ person, company }) => test(person, company));
}

function byContacts(state: StubState, body: Record<string, unknown>): Found | undefined {
  const { first_name, last_name, company_name, domain } = body;
  return find(
    state,
    ({ firstName, lastName }, { name, website }) =>
      low(firstName) === low(first_name) &&
      low(lastName) === low(last_name) &&
      (company_name === undefined || low(name) === low(company_name)) &&
      (domain === undefined || low(website).replace(/^www\./, '') === low(domain)),
  );
}

function one(state: StubState, found: Found | undefined, asked: Record<string, unknown>): Answer {
  if (found === undefined) return state.turn % 2 === 0 ? notFound(state) : { status: 200, body: {} };
  const { person, company } = found;
  return {
    status: 200,
    body: {
      id: person.id,
      full_name: `${person.firstName} ${person.lastName}`,
      first_name: person.firstName,
      last_name: person.lastName,
      seniority_level: person.level === null ? null : [person.level],
      function_original_name: person.job,
      email: asked['reveal_email'] === false ? null : person.email,
      phone: asked['reveal_phone'] === false ? null : person.phone,
      company_id: writeId(company, state.options.ids, state.turn),
      company_name: company.name,
      pronet: profileOf(person),
    },
  };
}

function search(state: StubState, body: Record<string, unknown>): Answer {
  const domains = Array.isArray(body['domain_list']) ? body['domain_list'].map(low) : [];
  const page = typeof body['page'] === 'number' ? body['page'] : 1;
  const found = all(state).filter(({ company }) => domains.includes(low(company.website).replace(/^www\./, '')));
  return {
    status: 200,
    body: {
      total_employees: found.length,
      total_pages: Math.ceil(found.length / 3),
      data: found.slice(3 * (page - 1), 3 * page).map(({ person }) => ({
        id: new Digits(person.id),
        first_name: person.firstName,
        last_name: person.lastName,
        job_title: person.job,
      })),
    },
  };
}

function low(text: unknown): string {
  return typeof text === 'string' ? text.toLowerCase() : '';
}
