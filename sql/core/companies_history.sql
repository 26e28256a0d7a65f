/*
model: core.companies_history
kind: incremental
version: 1
grain: version of a company
key: [company_id, valid_from]
description: >-
  Versions of each company record (SCD type 2). A new version starts with the first answer that differs. Differences in array
  order, key order or id type (number or text) are ignored. If a company leaves the market or its record is gone, its last
  version stays current. The rows do not depend on the order in which observations were loaded.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM ledger.company_records
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
  status: VARCHAR | Status label (Active, Inactive, Intermediate)
  legal_form: VARCHAR | Legal form, as the API writes it
  website: VARCHAR | Website address
  phones: VARCHAR[] | Phone numbers, in the API's order
  emails: VARCHAR[] | E-mail addresses, in the API's order
  faxes: VARCHAR[] | Fax numbers, in the API's order
  brands: VARCHAR[] | Brand names; the API may send them as one comma-separated text
  address_street: VARCHAR | Street and number
  address_location: VARCHAR | Location line of the address, as the API writes it
  address_city: VARCHAR | City
  country_region: VARCHAR | Region within the country
  zip_code: VARCHAR | Postal code, as text
  size_text: VARCHAR | Employee count or range, as the API writes it
  employees_min: INTEGER | Lower bound of size_text; NULL if it has none
  employees_max: INTEGER | Upper bound of size_text; NULL if it has none
  founding_date: DATE | Founding date
  pronet: VARCHAR | URL of the profile on the professional network
  microblog: VARCHAR | URL of the microblog profile
  socialnet: VARCHAR | URL of the social network profile
  codes: STRUCT(scheme VARCHAR, code_id BIGINT, value VARCHAR)[] | Industry and activity classifications
  extra: JSON | Fields that the API reference does not list, as last received; NULL if there are none. A change of these fields starts no new version
audits:
  - name: one_open_version
    severity: error
    sql: SELECT company_id FROM core.companies_history SEMI JOIN changed USING (company_id) WHERE is_current GROUP BY company_id HAVING count(*) <> 1
  - name: versions_do_not_overlap
    severity: error
    sql: SELECT * FROM core.companies_history SEMI JOIN changed USING (company_id) WHERE valid_to <= valid_from
*/
SELECT v.*, r.* EXCLUDE (company_id, record_hash, observed_at, body_hash, extra_at)
FROM ledger.record_versions('changed', 'companies', 'matches') AS v
JOIN ledger.company_records AS r USING (company_id, record_hash)
