import { pageOf, v1Error } from './answers.js';
import { Digits } from './json.js';
import { peopleOf, writeExecutive } from './people.js';
import type { Answer, Asked, StubState } from './state.js';

/** `POST /v1/finder/executives`: people by the id of their company. */
export function searchExecutives(state: StubState, { body }: Asked): Answer {
  const { filters = {} } = body as { filters?: { company_id?: unknown } };
  const company = state.byId.get(String(filters.company_id));
  const people = company === undefined || company.gone ? [] : peopleOf(company);
  const page = pageOf(people, body, { ...state.options.page, most: 15 });
  if (page === null) return v1Error(state, 'InvalidRequest', 406, { param: 'per_page' });
  const data = page.rows.map((person, n) => ({
    company_id: n % 2 === 0 ? company!.id : new Digits(company!.id),
    id: n % 2 === 0 ? new Digits(person.id) : person.id,
    last_name: person.lastName,
    first_name: person.firstName,
    company_name: company!.name,
  }));
  return { status: 200, body: { pages: Math.ceil(people.length / page.size), data } };
}

/** `GET /v1/finder/executive/details`. */
export function executiveDetails(state: StubState, { query }: Asked): Answer {
  const id = query.get('id') ?? '';
  for (const company of state.companies) {
    const person = peopleOf(company).find((one) => one.id === id);
    if (person !== undefined && !company.gone)
      return { status: 200, body: writeExecutive(person, company, state.turn) };
  }
  return v1Error(state, 'IdNotFound', 404, { id });
}
