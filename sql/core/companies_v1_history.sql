/*
model: core.companies_v1_history
kind: incremental
needs: [ledger.company_records_v1]
version: 1
grain: version of a company record of version 1 of the API
key: [company_id, valid_from]
description: >-
  Versions of each company record of v1 of the API (SCD type 2). A new version starts with the first answer that
  differs. Differences in list order, key order or type (number or text) are ignored. If the record is gone, its last version
  stays current. The rows do not depend on the order in which observations were loaded.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM ledger.company_records_v1
columns:
  company_id: BIGINT | Id of the company
  valid_from: TIMESTAMPTZ | When this version was first observed
  valid_to: TIMESTAMPTZ | When the next version was first observed; NULL for the latest version
  is_current: BOOLEAN | True for the latest version
  version: INTEGER | Version number, from 1
  record_hash: VARCHAR | SHA-256 of the normalized record
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
  extra: JSON | Fields that the API reference does not list, as last received; NULL if there are none. A change of these fields starts no new version
audits:
  - name: one_open_version
    severity: error
    sql: SELECT company_id FROM core.companies_v1_history SEMI JOIN changed USING (company_id) WHERE is_current GROUP BY company_id HAVING count(*) <> 1
  - name: versions_do_not_overlap
    severity: error
    sql: SELECT * FROM core.companies_v1_history SEMI JOIN changed USING (company_id) WHERE valid_to <= valid_from
*/
SELECT v.*, r.* EXCLUDE (company_id, record_hash, observed_at, body_hash)
FROM ledger.record_versions('changed', 'companies_v1', NULL) AS v
JOIN ledger.company_records_v1 AS r USING (company_id, record_hash)
