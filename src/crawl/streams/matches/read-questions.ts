import type { CompanyQuestion } from '../../../../schemas/pipeline/resolve.js';
import type { ListField } from '../../../base/csv/columns.js';
import { isoCountry } from '../../../base/identifiers/countries.js';
import { domainOf, normalizeEmail } from '../../../base/identifiers/email.js';
import { normalizeLei } from '../../../base/identifiers/lei.js';
import { normalizePhone } from '../../../base/identifiers/phone.js';
import { isPublicMail } from '../../../base/identifiers/public-mail.js';
import { normalizeRegistration } from '../../../base/identifiers/registration.js';
import { damageOf } from '../../../base/identifiers/text.js';
import { normalizeTicker } from '../../../base/identifiers/ticker.js';
import { normalizeVat } from '../../../base/identifiers/vat.js';
import { hostOf, isOwnSite, normalizeAddress } from '../../../base/identifiers/website.js';
import { normalizeText, type ListKind } from '../lists/read-list.js';

type Field = keyof CompanyQuestion;

interface CompanyField extends ListField {
  normalize: (cell: string) => string;
  /** Name in messages of a number that a spreadsheet may have changed. */
  number?: string;
}

/*
 * Writes equal values in the same way, so that equal questions in all lists cause one request. Changes only details
 * that do not change the meaning, and keeps the spelling of the list: it is asked first (ways.ts). Each `normalize`
 * returns '' for a value without content.
 */
const FIELDS: Record<Field, CompanyField> = {
  name: {
    names: 'name company companyname legalname supplier suppliername customer customername',
    identifies: true,
    normalize: normalizeText,
  },
  country_code: { names: 'countrycode country iso iso2', normalize: (value) => isoCountry(upperCase(value)) },
  state: { names: 'state region', normalize: normalizeText },
  postal_code: { names: 'postalcode postcode zip zipcode', normalize: upperCase },
  registration_number: {
    names: 'registrationnumber registrationno regno regnumber companynumber companyno registration',
    ...numberField('registration number', normalizeRegistration),
  },
  vat_number: { names: 'vatnumber vatno vat vatid', ...numberField('VAT number', normalizeVat) },
  lei_number: { names: 'leinumber lei leicode', ...numberField('LEI', normalizeLei) },
  ticker: { names: 'ticker symbol', identifies: true, normalize: normalizeTicker },
  website: { names: 'website url domain homepage web', identifies: true, normalize: normalizeWebsite },
  email: { names: 'email mail emailaddress', identifies: true, normalize: normalizeEmail },
  phone: {
    names: 'phone phonenumber phoneno telephone tel',
    ...numberField('phone number', normalizePhone),
  },
  profile: { names: 'profile pronet profileurl', identifies: true, normalize: normalizeAddress },
  person: {
    names: 'person contactperson contactname employee fullname',
    identifies: true,
    normalize: normalizeText,
  },
};

/** Keeps a number that a spreadsheet has changed, so that `problemOf` finds it. Normalizes all other numbers. */
function numberField(number: string, normalize: (value: string) => string) {
  return {
    identifies: true,
    number,
    normalize: (value: string) => (damageOf(value) === null ? normalize(value) : upperCase(value)),
  };
}

// A change of case can split a letter into several characters. So normalize the text again.
function upperCase(value: string): string {
  return normalizeText(value).toUpperCase().normalize('NFC');
}

/** Normalizes a website. Lists also have e-mail addresses in this column. */
function normalizeWebsite(value: string): string {
  const isMail = /^[^/\s]+@[^/\s]+$/.test(value.trim());
  return isMail && isPublicMail(hostOf(value)) ? '' : normalizeAddress(value);
}

const ALL = Object.keys(FIELDS) as Field[];
const IDENTIFYING = ALL.filter((field) => FIELDS[field].identifies);

/** Lists of companies, for `tidemark resolve`. */
export const COMPANIES = {
  fields: FIELDS,
  what: 'a company',
  remedy: `Add at least one of these columns: ${IDENTIFYING.join(', ')}. A column country_code helps, too.`,
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
    for (const field of given) {
      const { number } = FIELDS[field];
      const damage = number === undefined ? null : damageOf(question[field] ?? '');
      if (damage !== null)
        return `its ${number} ${damage} by a spreadsheet (${question[field]}), so digits are lost. Format the column as text, and enter the number again`;
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
} satisfies ListKind<Field>;
