-- Loads answers of GET /v1/finder/company/details: company records of version 1. Version 1 sends phone numbers, e-mail
-- addresses, fax numbers and brands as texts. Creates `company_v1_typed`: one row for each readable record, with the
-- columns of ledger.company_records_v1.
--
-- First pass: reads plain records in one statement. A record is plain if each value has its usual type and spelling. The
-- rows of all other records are in `odd_rows`, which companies_v1_odd.sql reads.
CREATE OR REPLACE TEMP TABLE company_v1_typed AS
WITH fields AS (
  SELECT
    row_id,
    observed_at,
    body_hash,
    doc,
    text_id(entity_id) AS company_id,
    -- The list keeps DuckDB from computing json_transform again for each field.
    unnest([json_transform(doc, '{
      "id":"VARCHAR", "name":"VARCHAR", "company_phone":"VARCHAR", "company_email":"VARCHAR", "company_fax":"VARCHAR",
      "company_website":"VARCHAR", "company_legal_form":"VARCHAR", "brands":"VARCHAR", "address_street":"VARCHAR",
      "address_location":"VARCHAR", "country_region":"VARCHAR", "zip_code":"VARCHAR", "country_name":"VARCHAR",
      "country_short_name":"VARCHAR", "size":"VARCHAR", "registration_number":"VARCHAR", "vat_number":"VARCHAR",
      "founding_date":"VARCHAR"
    }')], recursive := true)
  FROM batch
  WHERE doc IS NOT NULL
),
typed AS MATERIALIZED (
  SELECT
    row_id,
    company_id,
    observed_at,
    body_hash,
    nullif(name, '') AS name,
    upper(nullif(country_short_name, '')) AS country_code,
    nullif(country_name, '') AS country_name,
    nullif(registration_number, '') AS registration_number,
    nullif(vat_number, '') AS vat_number,
    nullif(company_legal_form, '') AS legal_form,
    nullif(company_website, '') AS website,
    nullif(company_phone, '') AS phone_text,
    phone_texts(phone_text) AS phones,
    nullif(company_email, '') AS email_text,
    email_texts(email_text) AS emails,
    nullif(company_fax, '') AS fax_text,
    phone_texts(fax_text) AS faxes,
    nullif(brands, '') AS brands_text,
    comma_texts(brands_text) AS brands,
    nullif(address_street, '') AS address_street,
    nullif(address_location, '') AS address_location,
    nullif(country_region, '') AS country_region,
    nullif(zip_code, '') AS zip_code,
    nullif(size, '') AS size_text,
    plain_size(size).lo AS employees_min,
    plain_size(size).hi AS employees_max,
    TRY_CAST(left(nullif(founding_date, ''), 10) AS DATE) AS founding_date,
    company_extra_v1(doc) AS extra
  FROM fields
  WHERE id = CAST(company_id AS VARCHAR)
    AND texts_are_plain([
      name, company_phone, company_email, company_fax, company_website, company_legal_form, fields.brands, address_street,
      address_location, country_region, zip_code, country_name, country_short_name, size, registration_number, vat_number,
      founding_date
    ])
    AND size_is_plain(size)
    AND date_is_plain(founding_date)
)
SELECT
  *,
  company_hash_v1(
    [
      name, country_code, country_name, registration_number, vat_number, legal_form, website, address_street, address_location,
      country_region, zip_code, size_text, CAST(founding_date AS VARCHAR)
    ],
    [phones, emails, faxes, brands]
  ) AS record_hash
FROM typed;

CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id FROM batch WHERE doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM company_v1_typed);
