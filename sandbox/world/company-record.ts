import type { Company } from '../../schemas/v2/company.js';
import { toIso } from './calendar.js';
import { KIND, type Versions } from './changes.js';
import { NACE_CLASSES, naceOf, nationalCodesOf } from './classification.js';
import { cityNameOf, emailsOf, faxesOf, phonesOf, profilesOf, streetOf, websiteOf, zipOf } from './contacts.js';
import type { Context } from './context.js';
import { COUNTRY_NAMES } from './data/iso-countries.js';
import { ACTIVITIES, COMPANY_STATUS } from './data/nomenclatures.js';
import { idOf } from './membership.js';
import { brandsOf, nameOf } from './names.js';
import { registrationNumberOf, vatNumberOf } from './registration.js';
import { TAG } from './tags.js';
import {
  countryOf,
  employeesOf,
  foundedOn,
  industriesOf,
  legalFormName,
  legalFormOf,
  marketCountryOf,
  statusOf,
} from './traits.js';

const BANDS = [10, 50, 200, 500, 1000, 5000, 10_000] as const;
/** Some records lack one of these fields. */
const GAPS = [
  'company_website',
  'company_phone',
  'company_email',
  'address_location',
  'microblog',
  'sic',
  'vat_number',
] as const;

/** Returns the name of a company status. */
export function statusName(id: number): string {
  return COMPANY_STATUS.find((entry) => entry.id === id)!.name;
}

/**
 * Returns the company record as `GET /v2/companies/{id}` does. The records differ on purpose, as far as the reference
 * allows. An id is a number or text. A size is a count or a range. A field may be null in one record, '' in another and
 * missing in a third.
 */
export function companyRecord(ctx: Context, index: number, versions: Versions): Company {
  const { dice } = ctx;
  const country = marketCountryOf(ctx, index);
  const [city, region] = cityNameOf(ctx, index, versions);
  const [pronet, microblog, socialnet] = profilesOf(ctx, index);
  const founded = foundedOn(ctx, index);
  const id = idOf(ctx, index);
  const record: Company = {
    id: dice.chance(0.1, TAG.idText, index) ? String(id) : id,
    name: nameOf(ctx, index, versions),
    registration_number: registrationNumberOf(index, versions),
    country_code: country.code,
    company_phone: phonesOf(ctx, index, versions.get(KIND.phone)),
    company_email: emailsOf(ctx, index, versions.get(KIND.email)),
    company_fax: faxesOf(ctx, index, versions.get(KIND.fax)),
    company_website: websiteOf(ctx, index, versions.get(KIND.website)),
    company_legal_form: legalFormName(legalFormOf(ctx, index)),
    status: statusName(statusOf(ctx, index, versions)),
    brands: brandsOf(ctx, index),
    address_street: streetOf(ctx, index, versions),
    address_location: region === null ? city : `${city}, ${region}`,
    address_city: city,
    country_region: region,
    zip_code: zipOf(ctx, index, versions),
    country_name: COUNTRY_NAMES.get(country.code),
    size: sizeText(ctx, index, employeesOf(ctx, index, versions)),
    vat_number: vatNumberOf(ctx, index, versions),
    founding_date: founded === null ? null : toIso(founded),
    industry: industriesOf(ctx, index).map((position) => {
      const { id: code, name } = ACTIVITIES[position]!;
      return { id: code, type: 'industry_focus', value: name };
    }),
    sic: nationalCodes(ctx, index),
    microblog,
    pronet,
    socialnet,
  };
  return withGaps(ctx, index, record);
}

/**
 * Returns the number of employees as text: a count for about two thirds of the companies, a range for the rest. Null or
 * undefined if unknown.
 */
function sizeText(ctx: Context, index: number, employees: number | null): string | null | undefined {
  const draw = ctx.dice.unit(TAG.sizeText, index);
  if (employees === null) return draw < 0.5 ? null : undefined;
  if (draw < 0.65) return String(employees);
  const band = BANDS.findIndex((upper) => employees <= upper);
  if (band === -1) return `${BANDS.at(-1)! + 1}+`;
  return `${band === 0 ? 1 : BANDS[band - 1]! + 1}-${BANDS[band]}`;
}

/**
 * Returns the national industry code of the company's NACE class. Empty if the reference has no filter for the codes of
 * this country.
 */
function nationalCodes(ctx: Context, index: number): NonNullable<Company['sic']> {
  const { sicScheme } = marketCountryOf(ctx, index);
  if (sicScheme === null) return [];
  const nace = naceOf(ctx, index);
  const { title } = NACE_CLASSES[nace]!;
  const code = nationalCodesOf(countryOf(ctx, index))[nace]!;
  return [{ id: Number.parseInt(code, 10), type: sicScheme, value: `${code} ${title}` }];
}

function withGaps(ctx: Context, index: number, record: Company): Company {
  const draw = ctx.dice.unit(TAG.gaps, index);
  if (draw < 0.04) delete record[ctx.dice.pick(GAPS, TAG.gaps, index, 1)];
  if (record.brands === undefined) delete record.brands;
  if (record.size === undefined) delete record.size;
  if (record.founding_date === null && draw > 0.5) delete record.founding_date;
  return record;
}
