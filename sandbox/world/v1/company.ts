import type { V1Company } from '../../../schemas/v1/company.js';
import type { Company } from '../../../schemas/v2/company.js';

/**
 * Returns the company as `GET /v1/finder/company/details` does. The values come from the version 2 record. The result
 * has one telephone number, e-mail and fax instead of lists, and no status.
 */
export function v1Company(record: Company): V1Company {
  const size = record.size;
  return {
    id: Number(record.id),
    name: record.name,
    company_phone: record.company_phone?.[0] ?? '',
    company_email: record.company_email?.[0] ?? '',
    company_fax: record.company_fax?.[0] ?? '',
    company_website: record.company_website ?? '',
    company_legal_form: record.company_legal_form,
    brands: record.brands ?? '',
    // In version 1, a company without a postcode has no street either.
    address_street: record.zip_code === null ? null : record.address_street,
    address_location: record.address_location ?? null,
    country_region: record.country_region,
    zip_code: record.zip_code,
    country_name: record.country_name,
    country_short_name: record.country_code,
    // Version 1 sends a count as a number and a range as text.
    size: typeof size === 'string' && /^\d+$/.test(size) ? Number(size) : (size ?? null),
    registration_number: record.registration_number,
    vat_number: record.vat_number ?? '',
    founding_date: record.founding_date ?? null,
  };
}
