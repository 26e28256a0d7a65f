/*
model: core.companies
kind: table
version: 1
grain: company
key: [company_id]
description: >-
  Every company ever reported by a search or answered with a record, as last known. Where the details are gone or were not
  fetched yet (has_details false) only id, name and the dates of seeing are known.
columns:
  company_id: BIGINT | Id of the company
  name: VARCHAR | Registered name
  country_code: VARCHAR | Country, ISO 3166-1 alpha-2
  country_name: VARCHAR | Country as the API names it
  registration_number: VARCHAR | Number in the national register, as text
  vat_number: VARCHAR | VAT number
  status: VARCHAR | Status label (Active, Inactive, Intermediate)
  legal_form: VARCHAR | Legal form as the API names it
  website: VARCHAR | Website
  phones: VARCHAR[] | Telephone numbers, in the API's order
  emails: VARCHAR[] | E-mail addresses, in the API's order
  faxes: VARCHAR[] | Fax numbers, in the API's order
  brands: VARCHAR[] | Brand names (the API sends them as one text with commas)
  address_street: VARCHAR | Street and number
  address_location: VARCHAR | Location line of the address
  address_city: VARCHAR | City
  country_region: VARCHAR | Region within the country
  zip_code: VARCHAR | Postal code, as text
  size_text: VARCHAR | Employee count or band, as the API writes it
  employees_min: INTEGER | Lower bound of size_text; NULL where it states none
  employees_max: INTEGER | Upper bound of size_text; NULL where it states none
  founding_date: DATE | Day of founding
  pronet: VARCHAR | Address of the professional-network profile
  microblog: VARCHAR | Address of the microblog profile
  socialnet: VARCHAR | Address of the social-network profile
  first_seen_on: DATE | UTC day of the first answer that named the company (by a search or with its record)
  last_seen_on: DATE | UTC day of the latest answer that named it
  has_details: BOOLEAN | False when only a search reported it; then all but the name is NULL
  observed_at: TIMESTAMPTZ | When its record was last read; for has_details false when a search last reported it
  extra: JSON | Fields the reference does not list, as they last came
*/
SELECT
  s.company_id,
  coalesce(h.name, s.name) AS name,
  h.* EXCLUDE (company_id, name, valid_from, valid_to, is_current, version, record_hash, codes, extra),
  CAST(s.first_seen_at AT TIME ZONE 'UTC' AS DATE) AS first_seen_on,
  CAST(s.last_seen_at AT TIME ZONE 'UTC' AS DATE) AS last_seen_on,
  h.company_id IS NOT NULL AS has_details,
  CASE WHEN h.company_id IS NULL THEN s.sighted_at ELSE a.read_at END AS observed_at,
  h.extra
FROM ledger.company_seen AS s
LEFT JOIN core.companies_history AS h ON h.company_id = s.company_id AND h.is_current
LEFT JOIN ledger.answers AS a ON a.stream = 'companies' AND a.entity_id = CAST(s.company_id AS VARCHAR)
