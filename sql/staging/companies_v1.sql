-- Loads answers of GET /v1/finder/company/details: company records of version 1. Version 1 sends phone numbers, e-mail
-- addresses, fax numbers and brands as texts.
CREATE OR REPLACE TEMP VIEW company_docs AS
SELECT row_id, text_id(entity_id) AS company_id, observed_at, body_hash, doc
FROM batch
WHERE doc IS NOT NULL;

-- First pass, as in _company_records.sql. The fields of version 2 that version 1 does not list are not used.
CREATE OR REPLACE TEMP TABLE company_fields AS
WITH fields AS (
  SELECT
    row_id,
    observed_at,
    body_hash,
    doc,
    company_id,
    -- The list keeps DuckDB from computing json_transform again for each field.
    unnest([json_transform(doc, '{
      "id":"VARCHAR", "name":"VARCHAR", "company_phone":"VARCHAR", "company_email":"VARCHAR", "company_fax":"VARCHAR",
      "company_website":"VARCHAR", "company_legal_form":"VARCHAR", "brands":"VARCHAR", "address_street":"VARCHAR",
      "address_location":"VARCHAR", "country_region":"VARCHAR", "zip_code":"VARCHAR", "country_name":"VARCHAR",
      "country_short_name":"VARCHAR", "size":"VARCHAR", "registration_number":"VARCHAR", "vat_number":"VARCHAR",
      "founding_date":"VARCHAR", "country_code":"VARCHAR", "status":"VARCHAR", "address_city":"VARCHAR", "industry":"VARCHAR",
      "sic":"VARCHAR", "microblog":"VARCHAR", "pronet":"VARCHAR", "socialnet":"VARCHAR"
    }')], recursive := true)
  FROM company_docs
)
SELECT
  * EXCLUDE (doc),
  phone_texts(nullif(company_phone, '')) AS phones,
  email_texts(nullif(company_email, '')) AS emails,
  phone_texts(nullif(company_fax, '')) AS faxes,
  comma_texts(nullif(brands, '')) AS brand_names,
  TRY_CAST(left(nullif(founding_date, ''), 10) AS DATE) AS founded_on,
  CAST([] AS STRUCT(scheme VARCHAR, code_id BIGINT, value VARCHAR)[]) AS codes,
  company_extra_v1(doc) AS extra
FROM fields
WHERE id = CAST(company_id AS VARCHAR)
  AND texts_are_plain([
    name, company_phone, company_email, company_fax, company_website, company_legal_form, brands, address_street,
    address_location, country_region, zip_code, country_name, country_short_name, size, registration_number, vat_number,
    founding_date
  ])
  AND date_is_plain(founding_date);

CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id FROM company_docs WHERE row_id NOT IN (SELECT row_id FROM company_fields);
