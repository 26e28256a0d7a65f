import type { V1ExecutiveFilters } from '../../../schemas/v1/executive.js';
import type { EmployeeFilters } from '../../../schemas/v2/employee.js';
import type { Context } from '../context.js';
import { DEPARTMENTS } from '../data/nomenclatures.js';
import { indexOf } from '../membership.js';
import {
  departmentOf,
  fullNameOf,
  hasKnownRole,
  jobTitleOf,
  nationalityOf,
  peopleCountOf,
  personByAddress,
  personEmailOf,
  personPhoneOf,
  PLACES,
  seniorityOf,
} from '../people.js';
import { FilterError } from './filter-error.js';

/** Conditions of a search for people, in version 1 or 2. A missing key means no condition. */
export interface PersonConditions {
  companyId?: number | undefined;
  fullName?: string | undefined;
  seniorities?: readonly number[] | undefined;
  departments?: readonly number[] | undefined;
  jobTitles?: readonly string[] | undefined;
  nationalities?: readonly string[] | undefined;
  emails?: readonly string[] | undefined;
  hasEmail?: boolean | undefined;
  hasPhone?: boolean | undefined;
  profile?: string | undefined;
  /** True: select only people whose role version 1 of the API knows. */
  knownRole?: boolean | undefined;
}

/**
 * Values of the filter `advance`. The reference shows no values ("contact conditions from nomenclatures"), so the
 * sandbox chose these.
 */
const ADVANCE = ['has_email', 'has_phone'];

/**
 * Returns the conditions of a search in version 2.
 *
 * @throws FilterError for an unknown contact condition.
 */
export function employeeConditions(filters: EmployeeFilters): PersonConditions {
  const unknown = filters.advance?.find((condition) => !ADVANCE.includes(condition));
  if (unknown !== undefined) throw new FilterError('advance', `"${unknown}" is not one of ${ADVANCE.join(', ')}.`);
  return {
    companyId: filters.company_id,
    fullName: filters.full_name,
    seniorities: filters.seniority,
    departments: filters.department,
    jobTitles: filters.job_title,
    hasEmail: filters.advance?.includes('has_email') === true ? true : undefined,
    hasPhone: filters.advance?.includes('has_phone') === true ? true : undefined,
    profile: filters.pronet,
  };
}

/** Returns the conditions of a search in version 1, without its company filters. */
export function executiveConditions(filters: V1ExecutiveFilters): PersonConditions {
  return {
    companyId: filters.company_id,
    seniorities: filters.seniority_level,
    departments: filters.department,
    jobTitles: filters.job_title,
    nationalities: filters.nationality,
    emails: filters.contact_emails,
    hasEmail: filters.contact_have_email,
    hasPhone: filters.contact_have_phone,
    knownRole: filters.seniority_level !== undefined || filters.department !== undefined,
  };
}

/** Returns the numbers of the people who meet all conditions, ascending. `companies` are company indices, ascending. */
export function findPeople(ctx: Context, companies: Iterable<number>, conditions: PersonConditions): number[] {
  const only = conditions.companyId === undefined ? undefined : indexOf(ctx, conditions.companyId);
  if (conditions.companyId !== undefined && only === undefined) return [];
  const holds = personTest(ctx, conditions);
  const found: number[] = [];
  for (const index of companies) {
    if (only !== undefined && index !== only) continue;
    const count = peopleCountOf(ctx, index);
    for (let place = 0; place < count; place++) {
      const number = index * PLACES + place;
      if (holds(number)) found.push(number);
    }
  }
  return found;
}

function personTest(ctx: Context, wanted: PersonConditions): (number: number) => boolean {
  const departments = wanted.departments && withChildren(wanted.departments);
  const titles = wanted.jobTitles?.map((title) => title.toLowerCase());
  const name = wanted.fullName?.trim().toLowerCase();
  const nationalities = wanted.nationalities?.map((code) => code.toUpperCase());
  const emails = wanted.emails?.map((email) => email.toLowerCase());
  const person = wanted.profile === undefined ? undefined : (personByAddress(ctx, wanted.profile) ?? -1);
  return (number) =>
    (person === undefined || number === person) &&
    (wanted.knownRole !== true || hasKnownRole(ctx, number)) &&
    (wanted.seniorities === undefined || wanted.seniorities.includes(seniorityOf(ctx, number))) &&
    (departments === undefined || departments.includes(departmentOf(ctx, number))) &&
    (wanted.hasEmail === undefined || (personEmailOf(ctx, number) !== null) === wanted.hasEmail) &&
    (wanted.hasPhone === undefined || (personPhoneOf(ctx, number) !== null) === wanted.hasPhone) &&
    (titles === undefined || titles.some((title) => jobTitleOf(ctx, number).toLowerCase().includes(title))) &&
    (name === undefined || fullNameOf(ctx, number).toLowerCase().includes(name)) &&
    (nationalities === undefined || nationalities.includes(nationalityOf(ctx, number) ?? '')) &&
    (emails === undefined || emails.includes(personEmailOf(ctx, number) ?? ''));
}

/** Returns the ids of the given departments and of the departments that belong to them. */
function withChildren(ids: readonly number[]): number[] {
  return DEPARTMENTS.filter(
    ({ id, parent_id }) => ids.includes(id) || (parent_id !== null && ids.includes(parent_id)),
  ).map(({ id }) => id);
}
