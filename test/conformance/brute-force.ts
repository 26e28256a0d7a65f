import type { V1CompanyFilters, FromTo } from '../../schemas/v1/company.js';
import type { V1Executive, V1ExecutiveFilters } from '../../schemas/v1/executive.js';
import type { TenderDetails, TenderMust } from '../../schemas/v1/tender.js';
import type { Company } from '../../schemas/v2/company.js';
import type { Employee, EmployeeFilters } from '../../schemas/v2/employee.js';
import { COUNTRIES, TENDER_COUNTRIES } from '../../sandbox/world/data/country-ids.js';
import { ISO_COUNTRIES } from '../../sandbox/world/data/iso-countries.js';
import {
  DEPARTMENTS,
  SENIORITY_LEVEL,
  TENDER_INDUSTRIES,
  TENDER_STATUSES,
  TENDER_TYPES,
} from '../../sandbox/world/data/nomenclatures.js';
import type { Profile } from '../../sandbox/world/index.js';

/*
 * Expected results of all searches except prospecting. Each filter is written again from the reference's tables and
 * tested on one record at a time. It reads records that the API serves and none of the sandbox's own filters.
 */

/** A company as version 1 filters see it. */
export interface CompanyEntry {
  name: string;
  /** Undefined if its details are gone. */
  record: Company | undefined;
  profile: Profile;
}

/** A person as both versions show it. */
export interface PersonEntry {
  id: number;
  companyId: number;
  employee: Employee;
  executive: V1Executive;
  /** As the enrichment routes return it. */
  department: string;
}

type Check<Entry> = (entry: Entry, value: never) => boolean;

function holdsAll<Entry>(checks: Record<string, Check<Entry>>, entry: Entry, filters: object): boolean {
  return Object.entries(filters).every(([key, value]) => checks[key]!(entry, value as never));
}

function within(value: number | null | undefined, { from = -Infinity, to = Infinity }: FromTo): boolean {
  return value !== null && value !== undefined && !Number.isNaN(value) && value >= from && value <= to;
}

const nameIn = (list: readonly { id: number; name: string }[], id: number): string =>
  list.find((entry) => entry.id === id)!.name;

const sameText = (a: string | null | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

const COMPANY_CHECKS: Record<string, Check<CompanyEntry>> = {
  name: ({ name }, texts: string[]) => texts.some((text) => name.toLowerCase().includes(text.toLowerCase())),
  registration_number: ({ record }, numbers: string[]) =>
    numbers.some((number) => sameText(record?.registration_number, number)),
  vat_number: ({ record }, numbers: string[]) => numbers.some((number) => sameText(record?.vat_number, number)),
  status: ({ profile }, ids: number[]) => ids.includes(profile.status),
  size: ({ profile }, range: FromTo) => within(profile.employees, range),
  trading_activity_import: ({ profile }, wanted: boolean) => profile.imports === wanted,
  trading_activity_export: ({ profile }, wanted: boolean) => profile.exporter === wanted,
  activity_type: ({ profile }, ids: number[]) => profile.activityTypes.some((id) => ids.includes(id)),
  industry: ({ profile }, ids: number[]) => profile.industries.some((id) => ids.includes(id)),
  sic_code: ({ profile }, codes: number[]) =>
    profile.nationalCode !== null && codes.includes(Number.parseInt(profile.nationalCode.code, 10)),
  regions: ({ profile }, ids: number[]) => ids.includes(ISO_COUNTRIES.find(([code]) => code === profile.country)![2]),
  country: ({ profile }, ids: number[]) =>
    ids.includes(COUNTRIES.find(({ short_name }) => short_name === profile.country)!.id),
  city_or_state: ({ profile: { city, region } }, names: string[]) =>
    names.includes(city) || (region !== null && names.includes(region)),
  zip: ({ profile }, zips: string[]) => profile.zip !== null && zips.includes(profile.zip),
  turnover: ({ profile }, range: FromTo) => within(profile.figures.turnover, range),
  net_profit: ({ profile }, range: FromTo) => within(profile.figures.profit, range),
  total_liabilities: ({ profile }, range: FromTo) => within(profile.figures.liabilities, range),
  director_remuneration: ({ profile }, range: FromTo) => within(profile.figures.directors, range),
  profit_per_employee: ({ profile: { employees, figures } }, range: FromTo) =>
    within(employees === null ? null : figures.profit / employees, range),
  exports: ({ profile }, range: FromTo) => within(profile.figures.exports, range),
  ownership_type: ({ profile }, ids: number[]) => ids.includes(profile.legalForm),
  subsidiary_status: ({ profile }, ids: number[]) => ids.includes(profile.companyType),
  used_technologies: ({ profile }, ids: number[]) =>
    profile.website?.technologies.some((id) => ids.includes(id)) ?? false,
  year_of_founding: ({ profile: { incorporation } }, range: FromTo) =>
    incorporation !== null && within(Number(incorporation.slice(0, 4)), range),
  website_monthly_visits: ({ profile }, range: FromTo) => within(profile.website?.visits, range),
  site_ranking: ({ profile }, range: FromTo) => within(profile.website?.ranking, range),
  domain: ({ record }, domains: string[]) => domains.some((domain) => sameText(record?.company_website, domain)),
  emails: ({ record }, emails: string[]) => emails.some((email) => record?.company_email?.includes(email) ?? false),
};

/** Whether `POST /v1/finder/companies` must find a company (reference v1, "Company filters"). */
export function companyHolds(entry: CompanyEntry, filters: V1CompanyFilters): boolean {
  return holdsAll(COMPANY_CHECKS, entry, filters);
}

const levelsOf = (ids: number[]): string[] => ids.map((id) => nameIn(SENIORITY_LEVEL, id));

/** Names of departments and those below them. */
const departmentsOf = (ids: number[]): string[] =>
  DEPARTMENTS.filter(({ id, parent_id }) => ids.includes(id) || ids.includes(parent_id ?? Number.NaN)).map(
    ({ name }) => name,
  );

const hasTitle = (title: string | null | undefined, texts: string[]): boolean =>
  texts.some((text) => title?.toLowerCase().includes(text.toLowerCase()) ?? false);

const EMPLOYEE_CHECKS: Record<string, Check<PersonEntry>> = {
  full_name: ({ employee }, text: string) => hasTitle(employee.full_name, [text]),
  advance: ({ employee }, conditions: string[]) =>
    conditions.every((condition) => Boolean(condition === 'has_email' ? employee.email : employee.phone)),
  seniority: ({ employee }, ids: number[]) => levelsOf(ids).includes(employee.seniority_level![0]!),
  department: ({ department }, ids: number[]) => departmentsOf(ids).includes(department),
  job_title: ({ employee }, texts: string[]) => hasTitle(employee.function_original_name, texts),
  company_id: ({ companyId }, id: number) => companyId === id,
  pronet: ({ employee }, address: string) => sameText(employee.pronet, address),
};

/** Whether `POST /v2/employees` must find a person (reference v2, "Employees"). */
export function employeeHolds(entry: PersonEntry, filters: EmployeeFilters): boolean {
  return holdsAll(EMPLOYEE_CHECKS, entry, filters);
}

const EXECUTIVE_CHECKS: Record<string, Check<PersonEntry>> = {
  company_id: ({ companyId }, id: number) => companyId === id,
  department: ({ executive }, ids: number[]) => departmentsOf(ids).includes(executive.company_executive_function ?? ''),
  seniority_level: ({ executive }, ids: number[]) =>
    levelsOf(ids).includes(executive.company_executive_seniority_level ?? ''),
  job_title: ({ executive }, texts: string[]) => hasTitle(executive.function_original_name, texts),
  nationality: ({ executive }, codes: string[]) => codes.includes(executive.nationality ?? ''),
  contact_emails: ({ executive }, emails: string[]) => emails.some((email) => sameText(executive.contact_email, email)),
  contact_have_email: ({ executive }, wanted: boolean) => Boolean(executive.contact_email) === wanted,
  contact_have_phone: ({ executive }, wanted: boolean) => Boolean(executive.contact_phone) === wanted,
};

/** Whether `POST /v1/finder/executives` must find a person of a company (reference v1, both filter tables). */
export function executiveHolds(person: PersonEntry, company: CompanyEntry, filters: V1ExecutiveFilters): boolean {
  const own = Object.entries(filters).filter(([key]) => key in EXECUTIVE_CHECKS);
  const ofCompany = Object.entries(filters).filter(([key]) => !(key in EXECUTIVE_CHECKS));
  return (
    holdsAll(EXECUTIVE_CHECKS, person, Object.fromEntries(own)) &&
    companyHolds(company, Object.fromEntries(ofCompany) as V1CompanyFilters)
  );
}

interface DateRange {
  from?: string;
  to?: string;
}

const isDatedIn = (timestamp: string | null | undefined, { from = '0000', to = '9999' }: DateRange): boolean => {
  const day = timestamp?.slice(0, 10);
  return day !== undefined && day >= from && day <= to;
};

const hasNames =
  (list: readonly { id: number; name: string }[], read: (tender: TenderDetails) => unknown): Check<TenderDetails> =>
  (tender, ids: number[]) =>
    ids.some((id) => [read(tender)].flat().includes(nameIn(list, id)));

const TENDER_CHECKS: Record<string, Check<TenderDetails>> = {
  title: ({ title }, text: string) => title?.toLowerCase().includes(text.toLowerCase()) ?? false,
  countries: hasNames(TENDER_COUNTRIES, ({ countries }) => countries),
  industries: hasNames(TENDER_INDUSTRIES, ({ industries }) => industries),
  types: hasNames(TENDER_TYPES, ({ type }) => type),
  status: hasNames(TENDER_STATUSES, ({ status }) => status),
  donors: ({ donors }, ids: number[]) => (donors as { id: number }[]).some(({ id }) => ids.includes(id)),
  deadline: ({ deadline_date }, range: DateRange) => isDatedIn(deadline_date, range),
  date_created: ({ announced_date }, range: DateRange) => isDatedIn(announced_date, range),
};

/** Whether `POST /v1/finder/tenders` must find a tender (reference v1, "Tender filters"). */
export function tenderHolds(tender: TenderDetails, must: TenderMust): boolean {
  return holdsAll(TENDER_CHECKS, tender, must);
}
