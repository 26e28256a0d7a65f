import type { V1Executive, V1ExecutiveItem } from '../../schemas/v1/executive.js';
import type { Employee, EmployeeItem } from '../../schemas/v2/employee.js';
import type { EnrichedEmployeeItem } from '../../schemas/v2/enrichment.js';
import { yearOf } from './calendar.js';
import { KIND, type Versions } from './changes.js';
import { cityNameOf, phonesOf, profilesOf, streetOf, websiteOf, zipOf } from './contacts.js';
import type { Context } from './context.js';
import { COUNTRY_NAMES } from './data/iso-countries.js';
import { idOf } from './membership.js';
import { nameOf } from './names.js';
import {
  companyOf,
  departmentName,
  departmentOf,
  firstNameOf,
  fullNameOf,
  hasKnownRole,
  jobTitleOf,
  lastNameOf,
  nationalityOf,
  patronymOf,
  personEmailOf,
  personIdOf,
  personPhoneOf,
  personProfilesOf,
  seniorityName,
  seniorityOf,
  titleOf,
} from './people.js';
import { foundedOn, marketCountryOf } from './traits.js';

/* These functions return a person in the shapes of the API's routes. `versions` are the versions of the person's company. */

/** Returns a person as an item of `POST /v2/employees`. */
export function employeeItem(ctx: Context, number: number, versions: Versions): EmployeeItem {
  const index = companyOf(number);
  return {
    id: String(personIdOf(ctx, number)),
    name: fullNameOf(ctx, number),
    company_id: String(idOf(ctx, index)),
    company_name: nameOf(ctx, index, versions),
  };
}

/** Returns a person as `GET /v2/employees/{id}` does. */
export function employeeRecord(ctx: Context, number: number, versions: Versions): Employee {
  const [pronet, microblog, socialnet] = personProfilesOf(ctx, number);
  return {
    id: String(personIdOf(ctx, number)),
    full_name: fullNameOf(ctx, number),
    first_name: firstNameOf(ctx, number).name,
    last_name: lastNameOf(ctx, number),
    patronime_name: patronymOf(ctx, number),
    gender: firstNameOf(ctx, number).gender,
    seniority_level: [seniorityName(seniorityOf(ctx, number))],
    function_original_name: jobTitleOf(ctx, number),
    phone: personPhoneOf(ctx, number),
    email: personEmailOf(ctx, number),
    nationality: nationalityOf(ctx, number),
    company_name: nameOf(ctx, companyOf(number), versions),
    microblog,
    pronet,
    socialnet,
  };
}

/**
 * Returns a person as the enrichments by e-mail, by profile and by contact data do. The last two also return the
 * department.
 */
export function enrichedEmployee(
  ctx: Context,
  number: number,
  versions: Versions,
  options: { withDepartment: boolean; revealEmail: boolean; revealPhone: boolean },
): Employee {
  const record = employeeRecord(ctx, number, versions);
  return {
    ...record,
    ...(options.withDepartment ? { department: [departmentName(departmentOf(ctx, number))] } : {}),
    email: options.revealEmail ? record.email : null,
    phone: options.revealPhone ? record.phone : null,
    company_id: String(idOf(ctx, companyOf(number))),
  };
}

/** Returns a person as an item of `POST /v2/enrichment/employee/search`. */
export function enrichedEmployeeItem(ctx: Context, number: number, versions: Versions): EnrichedEmployeeItem {
  const index = companyOf(number);
  const [pronet, microblog, socialnet] = personProfilesOf(ctx, number);
  const [companyPronet, companyMicroblog, companySocialnet] = profilesOf(ctx, index);
  const [city, state] = cityNameOf(ctx, index, versions);
  const country = COUNTRY_NAMES.get(marketCountryOf(ctx, index).code);
  const founded = foundedOn(ctx, index);
  return {
    id: String(personIdOf(ctx, number)),
    last_name: lastNameOf(ctx, number),
    first_name: firstNameOf(ctx, number).name,
    name: fullNameOf(ctx, number),
    seniority_level: seniorityName(seniorityOf(ctx, number)),
    job_title: jobTitleOf(ctx, number),
    microblog,
    socialnet,
    pronet,
    country,
    state: state ?? '',
    city,
    company: {
      name: nameOf(ctx, index, versions),
      website: websiteOf(ctx, index, versions.get(KIND.website)),
      incorporation_date: founded === null ? null : yearOf(founded),
      country,
      state: state ?? '',
      city,
      postal_code: zipOf(ctx, index, versions),
      phone: phonesOf(ctx, index, versions.get(KIND.phone))[0] ?? null,
      microblog: companyMicroblog,
      socialnet: companySocialnet,
      pronet: companyPronet,
      street_address: streetOf(ctx, index, versions),
    },
  };
}

/** Returns a person as an item of `POST /v1/finder/executives`. */
export function executiveItem(ctx: Context, number: number, versions: Versions): V1ExecutiveItem {
  const index = companyOf(number);
  return {
    id: personIdOf(ctx, number),
    first_name: firstNameOf(ctx, number).name,
    last_name: lastNameOf(ctx, number),
    company_id: idOf(ctx, index),
    company_name: nameOf(ctx, index, versions),
  };
}

/**
 * Returns a person as an item of `GET /v1/finder/company/executives`. `GET /v1/finder/executive/details` returns the
 * same shape.
 */
export function executiveRecord(ctx: Context, number: number, versions: Versions): V1Executive {
  const known = hasKnownRole(ctx, number);
  return {
    id: personIdOf(ctx, number),
    title_name: titleOf(ctx, number),
    first_name: firstNameOf(ctx, number).name,
    last_name: lastNameOf(ctx, number),
    patronime_name: patronymOf(ctx, number),
    gender: firstNameOf(ctx, number).gender,
    company_executive_seniority_level: known ? seniorityName(seniorityOf(ctx, number)) : null,
    company_executive_function: known ? departmentName(departmentOf(ctx, number)) : null,
    contact_phone: personPhoneOf(ctx, number),
    contact_email: personEmailOf(ctx, number),
    nationality: nationalityOf(ctx, number),
    function_original_name: jobTitleOf(ctx, number),
    company_name: nameOf(ctx, companyOf(number), versions),
  };
}
