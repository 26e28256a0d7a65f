/*
model: core.companies_v1
kind: incremental
needs: [core.companies_v1_history]
version: 1
grain: company with a record in version 1 of the API
key: [company_id]
description: >-
  Company records of version 1 of the API, with the latest values, for markets whose streams include companies_v1.
  core.companies has the records of version 2. marts.companies_disagreement has the values on which the two versions
  differ.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM ledger.company_records_v1
columns:
  company_id: BIGINT | Id of the company
  name: VARCHAR | Registered name
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2
  country_name: VARCHAR | Country name, as the API writes it
  registration_number: VARCHAR | Number in the national company register, as text
  vat_number: VARCHAR | VAT number
  legal_form: VARCHAR | Legal form, as the API writes it
  website: VARCHAR | Website address
  phone_text: VARCHAR | Phone number, as the API writes it; NULL if it sent a list
  phones: VARCHAR[] | The phone numbers in phone_text; one entry with the whole text if its parts are not certainly phone numbers
  email_text: VARCHAR | E-mail address, as the API writes it; NULL if it sent a list
  emails: VARCHAR[] | The e-mail addresses in email_text; one entry with the whole text if its parts are not certainly e-mail addresses
  fax_text: VARCHAR | Fax number, as the API writes it; NULL if it sent a list
  faxes: VARCHAR[] | The fax numbers in fax_text; one entry with the whole text if its parts are not certainly fax numbers
  brands_text: VARCHAR | Brand names, as the API writes them; NULL if it sent a list
  brands: VARCHAR[] | The brand names in brands_text, which commas separate
  address_street: VARCHAR | Street and number
  address_location: VARCHAR | Location line of the address, as the API writes it
  country_region: VARCHAR | Region within the country
  zip_code: VARCHAR | Postal code, as text
  size_text: VARCHAR | Employee count or range, as the API writes it
  employees_min: INTEGER | Lower bound of size_text; NULL if it has none
  employees_max: INTEGER | Upper bound of size_text; NULL if it has none
  founding_date: DATE | Founding date
  is_gone: BOOLEAN | True if the last answer was 404 (not found); the columns then have the last known values
  valid_from: TIMESTAMPTZ | When these values were first observed
  observed_at: TIMESTAMPTZ | When the record was last read
  extra: JSON | Fields that the API reference does not list, as last received; NULL if there are none
audits:
  - name: size_not_parsed
    severity: warn
    sql: >-
      SELECT company_id, size_text AS example FROM core.companies_v1
      WHERE size_text IS NOT NULL AND employees_min IS NULL AND employees_max IS NULL
*/
SELECT
  h.company_id,
  h.* EXCLUDE (company_id, valid_from, valid_to, is_current, version, record_hash, extra),
  coalesce(a.gone, false) AS is_gone,
  h.valid_from,
  a.read_at AS observed_at,
  h.extra
FROM core.companies_v1_history AS h
SEMI JOIN changed USING (company_id)
LEFT JOIN ledger.answers AS a ON a.stream = 'companies_v1' AND a.entity_id = CAST(h.company_id AS VARCHAR)
WHERE h.is_current
