/*
model: core.companies
kind: view
version: 1
grain: company
key: [company_id]
description: >-
  Every company that a search has found or whose record was fetched, with its latest known values. has_details is false if
  no record was ever read: it was not fetched yet, or it was gone (404). A row without details has only the id, the name and the
  dates. Any other NULL means that the API gave no value.
check_key: false
columns:
  company_id: BIGINT | Id of the company
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
  first_seen_on: DATE | UTC day of the first answer that named the company (a search or its record)
  last_seen_on: DATE | UTC day of the latest answer that named the company
  has_details: BOOLEAN | False if only searches have reported the company; then all descriptive columns except name are NULL
  observed_at: TIMESTAMPTZ | When the company's record was last read; if has_details is false, when a search last reported the company
  extra: JSON | Fields that the API reference does not list, as last received; NULL if there are none
audits:
  - name: size_not_parsed
    severity: warn
    sql: >-
      SELECT company_id, size_text AS example FROM core.companies_history
      WHERE is_current AND size_text IS NOT NULL AND employees_min IS NULL AND employees_max IS NULL
*/
SELECT
  s.company_id,
  coalesce(h.name, s.name) AS name,
  h.* EXCLUDE (company_id, name, valid_from, valid_to, is_current, version, record_hash, codes, extra),
  CAST(s.first_seen_at AT TIME ZONE 'UTC' AS DATE) AS first_seen_on,
  CAST(s.last_seen_at AT TIME ZONE 'UTC' AS DATE) AS last_seen_on,
  h.company_id IS NOT NULL AS has_details,
  CASE WHEN h.company_id IS NULL THEN s.sighted_at ELSE coalesce(s.read_at, s.matched_at) END AS observed_at,
  h.extra
FROM base.company_seen AS s
LEFT JOIN core.companies_history AS h ON h.company_id = s.company_id AND h.is_current
