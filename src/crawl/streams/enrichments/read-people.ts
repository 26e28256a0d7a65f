import type { PersonQuestion } from '../../../../schemas/pipeline/enrich.js';
import { normalizeEmail } from '../../../base/identifiers/email.js';
import { hostOf, normalizeAddress } from '../../../base/identifiers/website.js';
import { canonicalJson } from '../../../base/json/canonical-json.js';
import { normalizeText, type ListKind } from '../lists/read-list.js';

/** Lists of people, for `tidemark enrich --people`. */
export const PEOPLE: ListKind<keyof PersonQuestion> = {
  fields: {
    email: { names: 'email mail emailaddress', identifies: true, normalize: normalizeEmail },
    profile: { names: 'profile pronet profileurl', identifies: true, normalize: normalizeAddress },
    first_name: { names: 'firstname givenname forename', identifies: true, normalize: normalizeText },
    last_name: { names: 'lastname surname familyname', identifies: true, normalize: normalizeText },
    company_name: { names: 'companyname company employer organisation organization', normalize: normalizeText },
    domain: { names: 'domain website url companydomain companywebsite', normalize: hostOf },
    // `withReveal` sets this field, so no column of the list is read into it.
    reveal: { names: '' },
  },
  what: 'a person',
  remedy: 'Add the column email or profile, or first_name and last_name together with company_name or domain.',
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

/** Adds to a question about a person the kinds of contact data that the API shall reveal, such as `email`. */
export function withReveal(question: string, reveal: readonly string[]): string {
  if (reveal.length === 0) return question;
  return canonicalJson({ ...(JSON.parse(question) as object), reveal: reveal.join(',') });
}
