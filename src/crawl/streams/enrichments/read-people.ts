import type { PersonQuestion } from '../../../../schemas/pipeline/enrich.js';
import { normalizeEmail } from '../../../base/identifiers/email.js';
import { hostOf, normalizeAddress } from '../../../base/identifiers/website.js';
import { normalizeText } from '../matches/normalize.js';
import type { ListKind } from '../matches/read-list.js';

type Field = keyof PersonQuestion;

/** Lists of people, for `tidemark enrich --people`. */
export const PEOPLE: ListKind<Field> = {
  names: {
    email: ['email', 'mail', 'emailaddress'],
    profile: ['profile', 'pronet', 'profileurl'],
    first_name: ['firstname', 'givenname', 'forename'],
    last_name: ['lastname', 'surname', 'familyname'],
    company_name: ['companyname', 'company', 'employer', 'organisation', 'organization'],
    domain: ['domain', 'website', 'url', 'companydomain', 'companywebsite'],
    // The option `--reveal` sets this field, so no column of the list is read into it.
    reveal: [],
  },
  identifying: ['email', 'profile', 'first_name', 'last_name'],
  what: 'a person',
  remedy: 'Add the column email or profile, or first_name and last_name together with company_name or domain.',
  normalize: {
    email: normalizeEmail,
    profile: normalizeAddress,
    first_name: normalizeText,
    last_name: normalizeText,
    company_name: normalizeText,
    domain: hostOf,
    reveal: normalizeText,
  },
  problemOf({ email, profile, first_name, last_name, company_name, domain }) {
    if (email !== undefined || profile !== undefined) return null;
    if (first_name === undefined || last_name === undefined)
      return 'it has no value that identifies a person (e-mail, profile, or first and last name)';
    if (company_name === undefined && domain === undefined)
      return 'a name identifies a person only together with a company name or a domain';
    return null;
  },
  // Without `personalData: contacts`, nothing about people may be kept. The command refuses such a list earlier.
  withoutPersonalData: () => ({}),
};
