import { invalid, notFound, pageOf } from './answers.js';
import type { StubCompany } from './companies.js';
import { Digits } from './json.js';
import type { Answer, Asked, StubState } from './state.js';

/** An employee as the stub knows it. */
export interface StubEmployee {
  /** Digits; longer than a double can hold. */
  id: string;
  name: string;
  firstName: string;
  lastName: string;
  /** Id in the nomenclature; null if the API knows none. */
  level: number | null;
  department: number | null;
  job: string;
  nationality: string | null;
  email: string | null;
  phone: string | null;
  profile: string | null;
  /** The search lists the person, but the record is gone. */
  gone: boolean;
}

/** Names of the levels that the stub's people have. */
export const LEVEL_NAMES: Record<number, string> = { 18: 'Owner', 14: 'CXO' };
const LEVELS = [18, 14, 18, null];
const DEPARTMENTS = [834, null, 829];
const FIRST_EMPLOYEE = 9_507_199_254_740_993n;
const PLACES = 1_000n;
const LAST_PAGE = 10;
// A company above the cap: ten pages of this size show a part of its people only.
const PAGE = { standard: 3, most: 6, above: 'clamped' } as const;
const MANY = 131;

/**
 * The employees of a company: none, a few, or more than ten pages. Of many, one level alone has more than ten pages. A
 * person without a level is found by department, a person without a department by level, or on the first ten pages.
 */
export function employeesOf({ place }: Pick<StubCompany, 'place'>): StubEmployee[] {
  const count = place % 41 === 7 ? MANY : (place * 3) % 5;
  return Array.from({ length: count }, (_, n) => {
    const level = LEVELS[(place + n) % LEVELS.length]!;
    return {
      id: String(FIRST_EMPLOYEE + BigInt(place) * PLACES + BigInt(n)),
      // Planted: no byte of these may remain where personal data is not kept.
      name: `Zaměstnanec-${place}-${n}`,
      firstName: `Zaměstnanec-${place}`,
      lastName: `${n}-Skrytý`,
      level,
      department: level === null ? 835 : (DEPARTMENTS[(place + n) % DEPARTMENTS.length] ?? (n < 60 ? null : 829)),
      job: `Keeper of matter ${n}`,
      nationality: n % 4 === 0 ? null : 'Czech',
      email: n % 3 === 0 ? `skryty.${place}.${n}@firm.example` : null,
      phone: n % 5 === 1 ? `+420 777 ${place} ${n}` : null,
      profile: n % 2 === 0 ? `https://pronet.example/in/skryty-${place}-${n}` : null,
      gone: n % 17 === 11,
    };
  });
}

/** The routes of the reference's section "Employees". */
export function answerEmployees(state: StubState, { path, body }: Asked): Answer {
  const id = /^\/v2\/employees\/(.+)$/.exec(path)?.[1];
  return id === undefined ? search(state, body) : details(state, decodeURIComponent(id));
}

interface EmployeeFilters {
  company_id?: unknown;
  seniority?: number[];
  department?: number[];
}

function search(state: StubState, body: Asked['body']): Answer {
  const { page: asked = 1, filters } = body as { page?: unknown; filters?: EmployeeFilters };
  if (filters === undefined) return invalid(state, 'filters', 'This field is required.');
  const number = Number(asked);
  if (number > LAST_PAGE) return invalid(state, 'page', 'Ensure this value is less than or equal to 10.');
  const company = state.byId.get(String(BigInt(String(filters.company_id))));
  const isWanted = (wanted: number[] | undefined, value: number | null) =>
    wanted === undefined || (value !== null && wanted.includes(value));
  const found = (company === undefined || company.gone ? [] : employeesOf(company)).filter(
    ({ level, department }) => isWanted(filters.seniority, level) && isWanted(filters.department, department),
  );
  const page = pageOf(found, body, PAGE)!;
  const text = state.turn % 2 === 0;
  const write = (digits: string) => (text ? digits : new Digits(digits));
  return {
    status: 200,
    body: {
      // The reference shows no order of keys, and numbers may be text.
      data: page.rows.map((person) => ({
        company_name: company!.name,
        name: person.name,
        id: write(person.id),
        company_id: write(company!.id),
        home_town: person.lastName,
      })),
      total_pages: text ? String(Math.ceil(found.length / page.size)) : Math.ceil(found.length / page.size),
      total_employees: text ? String(found.length) : found.length,
    },
  };
}

function details(state: StubState, id: string): Answer {
  const { company, person } = findEmployee(state, id) ?? {};
  if (company === undefined || person === undefined || company.gone || person.gone) return notFound(state);
  return {
    status: 200,
    body: {
      full_name: person.name,
      id: state.turn % 2 === 0 ? person.id : new Digits(person.id),
      first_name: person.firstName,
      last_name: person.lastName,
      gender: 'x',
      patronime_name: null,
      seniority_level: person.level === null ? [] : [LEVEL_NAMES[person.level]],
      function_original_name: person.job,
      phone: person.phone,
      email: person.email,
      nationality: person.nationality,
      company_name: company.name,
      pronet: person.profile,
      home: { town: person.lastName },
    },
  };
}

function findEmployee(
  { companies }: StubState,
  id: string,
): { company: StubCompany; person?: StubEmployee } | undefined {
  if (!/^\d+$/.test(id)) return undefined;
  const place = Number((BigInt(id) - FIRST_EMPLOYEE) / PLACES);
  const company = companies.find((one) => one.place === place);
  const person = company && employeesOf(company).find((one) => one.id === id);
  return company && { company, ...(person ? { person } : {}) };
}
