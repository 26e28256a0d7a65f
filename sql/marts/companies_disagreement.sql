/*
model: marts.companies_disagreement
kind: incremental
needs: [core.companies_v1_history]
version: 1
grain: field of a company for which v1 and v2 of the API state different values
key: [company_id, field]
description: >-
  Fields on which the company records of v1 and v2 disagree. Case, spaces, the order of lists and leading zeros of
  numbers are ignored, and 42 and "42" are equal. Lists disagree unless one contains the other, because v1 may state
  only one of several entries. Fields that only one version states are left out. The dates often explain a difference,
  because one answer is older than the other.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM ledger.company_records_v1
columns:
  company_id: BIGINT | Id of the company
  field: VARCHAR | Column of core.companies and core.companies_v1
  v2_value: VARCHAR | Value of v2, as the API writes it; the entries of a list are separated by a comma and a space
  v1_value: VARCHAR | Value of v1, in the same form
  v2_valid_from: TIMESTAMPTZ | When the v2 record with this value was first observed
  v1_valid_from: TIMESTAMPTZ | When the v1 record with this value was first observed
  v2_observed_at: TIMESTAMPTZ | When the v2 record was last read
  v1_observed_at: TIMESTAMPTZ | When the v1 record was last read
*/
WITH v2_records AS (
  SELECT h.*, a.read_at
  FROM core.companies_history AS h
  SEMI JOIN changed USING (company_id)
  LEFT JOIN ledger.answers AS a ON a.stream = 'companies' AND a.entity_id = CAST(h.company_id AS VARCHAR)
  WHERE h.is_current
),

v1_records AS (
  SELECT h.*, a.read_at
  FROM core.companies_v1_history AS h
  SEMI JOIN changed USING (company_id)
  LEFT JOIN ledger.answers AS a ON a.stream = 'companies_v1' AND a.entity_id = CAST(h.company_id AS VARCHAR)
  WHERE h.is_current
),

-- One row per field. `differs` is NULL if one version of the API does not state the field.
fields AS (
  SELECT
    v2.company_id,
    v2.valid_from AS v2_valid_from,
    v1.valid_from AS v1_valid_from,
    v2.read_at AS v2_observed_at,
    v1.read_at AS v1_observed_at,
    unnest([
      {'field': 'name', 'v2_value': v2.name, 'v1_value': v1.name, 'differs': loose_text(v2.name) <> loose_text(v1.name)},
      {'field': 'country_code', 'v2_value': v2.country_code, 'v1_value': v1.country_code,
        'differs': loose_text(v2.country_code) <> loose_text(v1.country_code)},
      {'field': 'country_name', 'v2_value': v2.country_name, 'v1_value': v1.country_name,
        'differs': loose_text(v2.country_name) <> loose_text(v1.country_name)},
      {'field': 'registration_number', 'v2_value': v2.registration_number, 'v1_value': v1.registration_number,
        'differs': loose_text(v2.registration_number) <> loose_text(v1.registration_number)},
      {'field': 'vat_number', 'v2_value': v2.vat_number, 'v1_value': v1.vat_number,
        'differs': loose_text(v2.vat_number) <> loose_text(v1.vat_number)},
      {'field': 'legal_form', 'v2_value': v2.legal_form, 'v1_value': v1.legal_form,
        'differs': loose_text(v2.legal_form) <> loose_text(v1.legal_form)},
      {'field': 'website', 'v2_value': v2.website, 'v1_value': v1.website, 'differs': loose_text(v2.website) <> loose_text(v1.website)},
      {'field': 'address_street', 'v2_value': v2.address_street, 'v1_value': v1.address_street,
        'differs': loose_text(v2.address_street) <> loose_text(v1.address_street)},
      {'field': 'address_location', 'v2_value': v2.address_location, 'v1_value': v1.address_location,
        'differs': loose_text(v2.address_location) <> loose_text(v1.address_location)},
      {'field': 'country_region', 'v2_value': v2.country_region, 'v1_value': v1.country_region,
        'differs': loose_text(v2.country_region) <> loose_text(v1.country_region)},
      {'field': 'zip_code', 'v2_value': v2.zip_code, 'v1_value': v1.zip_code,
        'differs': loose_text(v2.zip_code) <> loose_text(v1.zip_code)},
      -- Compare counts and ranges as numbers, so that `11-50` and `11 – 50 employees` are equal.
      {'field': 'size_text', 'v2_value': v2.size_text, 'v1_value': v1.size_text,
        'differs': CASE
          WHEN coalesce(v2.employees_min, v2.employees_max) IS NOT NULL AND coalesce(v1.employees_min, v1.employees_max) IS NOT NULL
          THEN (v2.employees_min, v2.employees_max) IS DISTINCT FROM (v1.employees_min, v1.employees_max)
          ELSE loose_text(v2.size_text) <> loose_text(v1.size_text)
        END},
      {'field': 'founding_date', 'v2_value': CAST(v2.founding_date AS VARCHAR), 'v1_value': CAST(v1.founding_date AS VARCHAR),
        'differs': v2.founding_date <> v1.founding_date},
      {'field': 'phones', 'v2_value': array_to_string(v2.phones, ', '), 'v1_value': array_to_string(v1.phones, ', '),
        'differs': NOT (list_has_all(loose_texts(v2.phones), loose_texts(v1.phones)) OR list_has_all(loose_texts(v1.phones), loose_texts(v2.phones)))},
      {'field': 'emails', 'v2_value': array_to_string(v2.emails, ', '), 'v1_value': array_to_string(v1.emails, ', '),
        'differs': NOT (list_has_all(loose_texts(v2.emails), loose_texts(v1.emails)) OR list_has_all(loose_texts(v1.emails), loose_texts(v2.emails)))},
      {'field': 'faxes', 'v2_value': array_to_string(v2.faxes, ', '), 'v1_value': array_to_string(v1.faxes, ', '),
        'differs': NOT (list_has_all(loose_texts(v2.faxes), loose_texts(v1.faxes)) OR list_has_all(loose_texts(v1.faxes), loose_texts(v2.faxes)))},
      {'field': 'brands', 'v2_value': array_to_string(v2.brands, ', '), 'v1_value': array_to_string(v1.brands, ', '),
        'differs': NOT (list_has_all(loose_texts(v2.brands), loose_texts(v1.brands)) OR list_has_all(loose_texts(v1.brands), loose_texts(v2.brands)))}
    ], recursive := true)
  FROM v2_records AS v2
  JOIN v1_records AS v1 USING (company_id)
)

SELECT company_id, field, v2_value, v1_value, v2_valid_from, v1_valid_from, v2_observed_at, v1_observed_at
FROM fields
WHERE differs
