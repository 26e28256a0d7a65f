import type { CompanyQuestion } from '../../../../schemas/pipeline/resolve.js';
import { domainOf } from '../../../base/identifiers/email.js';
import { isPublicMail } from '../../../base/identifiers/public-mail.js';
import { damageOf } from '../../../base/identifiers/text.js';
import { isOwnSite } from '../../../base/identifiers/website.js';
import { NORMALIZE } from './normalize.js';
import { readList, type List, type ListKind } from './read-list.js';

type Field = keyof CompanyQuestion;

const NAMES: Record<Field, readonly string[]> = {
  name: ['name', 'company', 'companyname', 'legalname', 'supplier', 'suppliername', 'customer', 'customername'],
  country_code: ['countrycode', 'country', 'iso', 'iso2'],
  state: ['state', 'region'],
  postal_code: ['postalcode', 'postcode', 'zip', 'zipcode'],
  registration_number: [
    'registrationnumber',
    'registrationno',
    'regno',
    'regnumber',
    'companynumber',
    'companyno',
    'registration',
  ],
  vat_number: ['vatnumber', 'vatno', 'vat', 'vatid'],
  lei_number: ['leinumber', 'lei', 'leicode'],
  ticker: ['ticker', 'symbol'],
  website: ['website', 'url', 'domain', 'homepage', 'web'],
  email: ['email', 'mail', 'emailaddress'],
  phone: ['phone', 'phonenumber', 'phoneno', 'telephone', 'tel'],
  profile: ['profile', 'pronet', 'profileurl'],
  person: ['person', 'contactperson', 'contactname', 'employee', 'fullname'],
};

const IDENTIFYING: readonly Field[] = [
  'name',
  'registration_number',
  'vat_number',
  'lei_number',
  'ticker',
  'website',
  'email',
  'phone',
  'profile',
  'person',
];

/** Numbers that a spreadsheet may have changed, by their names in messages. */
const NUMBERS = {
  registration_number: 'registration number',
  vat_number: 'VAT number',
  lei_number: 'LEI',
  phone: 'phone number',
} as const satisfies Partial<Record<Field, string>>;

/** Lists of companies, for `tidemark resolve`. */
export const COMPANIES: ListKind<Field> = {
  names: NAMES,
  identifying: IDENTIFYING,
  what: 'a company',
  remedy: `Add at least one of these columns: ${IDENTIFYING.join(', ')}. A column country_code helps, too.`,
  normalize: NORMALIZE,
  withoutPersonalData(question) {
    const { person, email, ...rest } = question;
    if (person === undefined && email === undefined) return question;
    // Keep only the domain: it is the part that helps to find the company. The domain of a public mail provider does
    // not help.
    const domain = email === undefined ? '' : domainOf(email);
    return domain === '' || isPublicMail(domain) ? rest : { ...rest, email: domain };
  },
  problemOf(question) {
    const given = IDENTIFYING.filter((field) => question[field] !== undefined);
    if (given.length === 0) {
      return 'it has no value that identifies a company (name, registration number, VAT number, LEI, ticker, website, e-mail, phone, profile or person)';
    }
    for (const [field, name] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, string][]) {
      const damage = damageOf(question[field] ?? '');
      if (damage !== null)
        return `its ${name} ${damage} by a spreadsheet (${question[field]}), so digits are lost. Format the column as text, and enter the number again`;
    }
    if (given.length === 1 && given[0] === 'person' && question.country_code === undefined)
      return 'a person identifies a company only together with a company name or a country';
    if (given.length === 1 && given[0] === 'email' && isPublicMail(domainOf(question.email ?? '')))
      return 'its e-mail address belongs to a public mail provider and not to a company';
    if (given.length === 1 && given[0] === 'website' && !isOwnSite(question.website ?? ''))
      return 'its website is a page of a social network or market place, which does not identify a company';
    if (question.country_code !== undefined && !/^[A-Z]{2}$/.test(question.country_code))
      return `its country is not a two-letter code: ${question.country_code}`;
    return null;
  },
};

/** Reads a list of companies (see `readList`). */
export function readCompanies(file: Buffer, name: string, keepsPeople: boolean): List<Field> {
  return readList(file, name, COMPANIES, keepsPeople);
}
