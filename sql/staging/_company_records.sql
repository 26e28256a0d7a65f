-- Runs after the staging file of a stream whose answers are company records. Reads its view `company_docs` and creates
-- `company_fields`: one row for each readable record, with its fields as texts under the names of the API.
--
-- First pass: reads plain records in one statement, because nearly all are plain. A record is plain if each value has its
-- usual type and spelling. The rows of all other records are in `odd_rows`, which _company_records_odd.sql reads with the
-- macros for all spellings. A plain record gives the same row in both passes.
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
      "id":"VARCHAR", "name":"VARCHAR", "registration_number":"VARCHAR", "country_code":"VARCHAR", "company_phone":"JSON",
      "company_email":"JSON", "company_fax":"JSON", "company_website":"VARCHAR", "company_legal_form":"VARCHAR",
      "status":"VARCHAR", "brands":"JSON", "address_street":"VARCHAR", "address_location":"VARCHAR", "address_city":"VARCHAR",
      "country_region":"VARCHAR", "zip_code":"VARCHAR", "country_name":"VARCHAR", "size":"VARCHAR", "vat_number":"VARCHAR",
      "founding_date":"VARCHAR", "industry":"JSON", "sic":"JSON", "microblog":"VARCHAR", "pronet":"VARCHAR",
      "socialnet":"VARCHAR", "country_short_name":"VARCHAR"
    }')], recursive := true)
  FROM company_docs
)
SELECT
  row_id,
  observed_at,
  body_hash,
  company_id,
  CAST(COLUMNS(* EXCLUDE (row_id, observed_at, body_hash, company_id, doc)) AS VARCHAR),
  plain_list(company_phone) AS phones,
  plain_list(company_email) AS emails,
  plain_list(company_fax) AS faxes,
  CASE WHEN starts_with(brands, '[') THEN plain_list(brands) ELSE comma_texts(nullif(trim(brands, '"'), '')) END AS brand_names,
  TRY_CAST(left(nullif(founding_date, ''), 10) AS DATE) AS founded_on,
  list_sort(list_distinct(list_concat(plain_codes(industry, 'industry'), plain_codes(sic, 'sic')))) AS codes,
  company_extra(doc) AS extra
FROM fields
WHERE id = CAST(company_id AS VARCHAR)
  AND texts_are_plain([
    name, registration_number, country_code, company_website, company_legal_form, status, address_street, address_location,
    address_city, country_region, zip_code, country_name, size, vat_number, founding_date, microblog, pronet, socialnet
  ])
  AND list_is_plain(company_phone)
  AND list_is_plain(company_email)
  AND list_is_plain(company_fax)
  AND (list_is_plain(brands) OR json_text_is_plain(brands))
  AND codes_are_plain(industry)
  AND codes_are_plain(sic)
  AND date_is_plain(founding_date);

CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id FROM company_docs WHERE row_id NOT IN (SELECT row_id FROM company_fields);
