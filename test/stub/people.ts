import { Digits } from './json.js';
import type { StubCompany } from './companies.js';

/** A person as the stub knows it. */
export interface StubPerson {
  /** Digits; longer than a double can hold. */
  id: string;
  firstName: string;
  lastName: string;
  level: string | null;
  department: string | null;
  job: string;
  nationality: string | null;
  email: string | null;
  phone: string | null;
}

const FIRST_PERSON = 9_107_199_254_740_993n;
const LEVELS = ['Owner', 'CXO', null, 'Director'];
const DEPARTMENTS = ['Legal', null, 'Finance and Accounting'];

/** The executives of a company: none, a few, or more than a page. */
export function peopleOf({ place }: Pick<StubCompany, 'place'>): StubPerson[] {
  const count = place % 29 === 4 ? 131 : place % 5;
  return Array.from({ length: count }, (_, n) => ({
    id: String(FIRST_PERSON + BigInt(place) * 1_000n + BigInt(n)),
    firstName: `Jméno${n}`,
    // Planted: no byte of these may remain where personal data is not kept.
    lastName: `Tajný-${place}-${n}`,
    level: LEVELS[(place + n) % LEVELS.length]!,
    department: DEPARTMENTS[(place + n) % DEPARTMENTS.length]!,
    job: `Head of matter ${n}`,
    nationality: n % 3 === 0 ? null : 'Danish',
    email: n % 2 === 0 ? `tajny.${place}.${n}@firm.example` : null,
    phone: n % 4 === 1 ? `+45 777 ${place} ${n}` : null,
  }));
}

/** An executive as version 1 writes it, with an undocumented field. */
export function writeExecutive(person: StubPerson, company: StubCompany, turn: number): Record<string, unknown> {
  return {
    home_town: `Tajný-${company.place}`,
    id: turn % 2 === 0 ? person.id : new Digits(person.id),
    first_name: person.firstName,
    last_name: person.lastName,
    title_name: null,
    gender: turn % 2 === 0 ? 'f' : undefined,
    company_executive_seniority_level: person.level,
    company_executive_function: person.department,
    function_original_name: person.job,
    nationality: person.nationality,
    contact_email: person.email,
    contact_phone: person.phone,
    company_name: company.name,
  };
}
