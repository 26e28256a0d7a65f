import { Digits } from './json.js';
import type { IdForm, StubOptions } from './options.js';

/** A company of the stub; both its answers and the expected warehouse content are made from this. */
export interface StubCompany {
  /** Canonical id: digits without leading zeros, or text. */
  id: string;
  /** Position in the order of searches. */
  place: number;
  name: string;
  status: 199 | 200 | 201;
  form: number;
  activities: number[];
  /** Null if the register has no date. */
  founded: string | null;
  employees: number | null;
  country: { code: string; name: string };
  city: string | null;
  registration: string;
  vat: string | null;
  phones: string[];
  emails: string[];
  brands: string[];
  website: string | null;
  /** Year of its latest report. */
  latestReport: number;
  /** Searches still list it, but its details are gone. */
  gone: boolean;
}

export const STATUS_NAMES = { 199: 'Active', 200: 'Inactive', 201: 'Intermediate' } as const;
export const FORM_NAMES: Record<number, string> = {
  2: 'Owned by a Public Company',
  8: 'Private unlimited with Share Capital',
  13: 'Limited',
  14: 'Other',
  16: 'Private limited with Share Capital',
};
const FORMS = Object.keys(FORM_NAMES).map(Number);
const COUNTRIES = [
  { code: 'DK', name: 'Denmark' },
  { code: 'SE', name: 'Sweden' },
  { code: 'IS', name: 'Iceland' },
];
const FIRST_LARGE = 9_007_199_254_740_993n; // 2^53 + 1, which a double cannot hold
const LARGEST = 9_223_372_036_854_775_807n; // what BIGINT can hold

/** The companies of the first day. */
export function makeCompanies({
  companies: count,
  ids,
  clones,
}: Pick<StubOptions, 'companies' | 'ids' | 'clones'>): StubCompany[] {
  return Array.from({ length: count }, (_, i) => {
    const company = makeCompany(i, idOf(ids, i, count));
    return i < count - clones ? company : { ...company, ...ALIKE };
  });
}

/** A company that is added after the first day; `i` continues the numbering. */
export function makeNewcomer(i: number, { companies, ids }: Pick<StubOptions, 'companies' | 'ids'>): StubCompany {
  return makeCompany(i, idOf(ids, i, companies));
}

/** The values of a clone that filters see. */
const ALIKE: Pick<StubCompany, 'status' | 'form' | 'activities' | 'founded' | 'employees'> = {
  status: 199,
  form: 13,
  activities: [2],
  founded: '1931-05-17',
  employees: 12,
};

function makeCompany(i: number, id: string): StubCompany {
  const month = String(1 + (i % 12)).padStart(2, '0');
  return {
    id,
    // Adjacent companies in a search do not have adjacent ids.
    place: (i * 7_919) % 10_007,
    name: `Větrná ${i} "Mølle" & Søn, s.r.o.`,
    status: i % 9 === 0 ? 200 : i % 31 === 0 ? 201 : 199,
    form: FORMS[(i * i) % FORMS.length] ?? 14,
    activities: i % 4 === 0 ? [1, 3] : [1 + (i % 3)],
    founded: i % 11 === 0 ? null : `${1955 + ((i * 7) % 68)}-${month}-17`,
    employees: i % 6 === 0 ? null : (i * 13) % 900,
    country: COUNTRIES[i % COUNTRIES.length]!,
    city: i % 5 === 0 ? null : `Město ${i % 17}`,
    registration: String(10_000 + i).padStart(9, '0'),
    vat: i % 3 === 0 ? `CZ${70_000 + i}` : null,
    phones: i % 4 === 1 ? [`+45 ${1_000 + i}`, `+45 ${2_000 + i}`] : [],
    emails: i % 8 === 2 ? [`info@firm${i}.example`] : [],
    brands: i % 10 === 3 ? [`Brand ${i}`, 'Ohm & Ωmega'] : [],
    website: i % 7 === 0 ? `www.firm${i}.example` : null,
    latestReport: 2024,
    gone: i % 50 === 3,
  };
}

function idOf(form: IdForm, i: number, count: number): string {
  if (form === 'unstorable')
    return i % 4 === 3 ? String(LARGEST + 1n + BigInt(i)) : `c-${String(i + 1).padStart(4, '0')}`;
  if (form === 'padded') return String(i + 7);
  // Adjacent ids that a double would round to the same number; the last ones are at the maximum of BIGINT.
  if (form === 'large')
    return String(i < count - 4 || i >= count ? FIRST_LARGE + BigInt(i) : LARGEST - BigInt(count - 1 - i));
  return String(5_000 + i * 13);
}

/** The id as one answer writes it. `turn` counts answers, so notation alternates. */
export function writeId(company: Pick<StubCompany, 'id' | 'place'>, form: IdForm, turn: number): Digits | string {
  if (!/^\d+$/.test(company.id)) return company.id;
  const style = (company.place + turn) % 3;
  if (form === 'padded' && style === 0) return company.id.padStart(4, '0');
  return style === 1 ? company.id : new Digits(company.id);
}

/** The company record, with fields missing or null, numbers and lists as text, and undocumented fields. */
export function writeRecord(company: StubCompany, form: IdForm, turn: number): Record<string, unknown> {
  const odd = company.place % 2 === 1;
  return {
    id: writeId(company, form, turn),
    name: company.name,
    registration_number: odd ? company.registration : `  ${company.registration} `,
    country_code: odd ? company.country.code : company.country.code.toLowerCase(),
    country_name: company.country.name,
    company_phone: company.phones.length > 0 ? company.phones : odd ? null : [],
    company_email: company.emails[0] ?? undefined,
    company_website: company.website,
    company_legal_form: FORM_NAMES[company.form],
    status: STATUS_NAMES[company.status],
    brands: company.brands.length > 0 ? company.brands.join(', ') : undefined,
    address_city: company.city ?? (odd ? '' : null),
    size: company.employees === null ? null : odd ? new Digits(String(company.employees)) : String(company.employees),
    vat_number: company.vat,
    founding_date: company.founded ?? undefined,
    industry: company.activities.map((id) => ({ id: odd ? String(id) : id, type: 'industry_focus', value: `A${id}` })),
    score_of_tomorrow: { value: company.place, scale: ['a', 'b'] },
  };
}
