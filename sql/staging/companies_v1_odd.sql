-- Second pass of companies_v1.sql: reads the records in `odd_rows` value by value, with the macros for all spellings. Adds
-- them to `company_v1_typed`.
CREATE OR REPLACE TEMP TABLE company_v1_raw AS
WITH source AS (
  SELECT
    row_id,
    observed_at,
    body_hash,
    entity_id,
    doc,
    json_transform(doc, '{
      "id":"JSON", "name":"JSON", "company_phone":"JSON", "company_email":"JSON", "company_fax":"JSON", "company_website":"JSON",
      "company_legal_form":"JSON", "brands":"JSON", "address_street":"JSON", "address_location":"JSON", "country_region":"JSON",
      "zip_code":"JSON", "country_name":"JSON", "country_short_name":"JSON", "size":"JSON", "registration_number":"JSON",
      "vat_number":"JSON", "founding_date":"JSON"
    }') AS f
  FROM batch
  WHERE row_id IN (SELECT row_id FROM odd_rows)
)
SELECT row_id, observed_at, body_hash, doc, json_id(to_json(entity_id)) AS company_id, f.*, json_type(doc) = 'OBJECT' AS is_object
FROM source;

-- Reject whole records.
INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN NOT is_object THEN 'not_an_object'
    WHEN company_id IS NULL THEN 'bad_entity_id'
    WHEN json_id(id) IS NULL THEN json_id_fault(id)
    ELSE 'other_id'
  END,
  '$',
  CAST(doc AS VARCHAR)
FROM company_v1_raw
WHERE NOT is_object OR company_id IS NULL OR json_id(id) IS DISTINCT FROM company_id;

-- Reject each array or object in a field that must have a plain value. The rest of the record is loaded. Phone numbers,
-- e-mail addresses, fax numbers and brands may be arrays of plain values.
INSERT INTO batch_rejects
WITH fields AS (
  SELECT row_id, unnest([
    {'path': 'name', 'v': name}, {'path': 'company_website', 'v': company_website},
    {'path': 'company_legal_form', 'v': company_legal_form}, {'path': 'address_street', 'v': address_street},
    {'path': 'address_location', 'v': address_location}, {'path': 'country_region', 'v': country_region},
    {'path': 'zip_code', 'v': zip_code}, {'path': 'country_name', 'v': country_name},
    {'path': 'country_short_name', 'v': country_short_name}, {'path': 'size', 'v': size},
    {'path': 'registration_number', 'v': registration_number}, {'path': 'vat_number', 'v': vat_number},
    {'path': 'founding_date', 'v': founding_date}
  ], recursive := true)
  FROM company_v1_raw
  WHERE is_object
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR) FROM fields WHERE json_is_nested(v);

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN day IS NULL THEN 'not_a_date' ELSE 'not_a_time' END, '$.founding_date', CAST(founding_date AS VARCHAR)
FROM (SELECT row_id, founding_date, json_text(founding_date) AS text, text_date(text) AS day FROM company_v1_raw WHERE json_text(founding_date) IS NOT NULL)
WHERE day IS NULL OR text_has_bad_time(text);

INSERT INTO batch_rejects
WITH lists AS (
  SELECT row_id, unnest([
    {'path': 'company_phone', 'v': company_phone}, {'path': 'company_email', 'v': company_email},
    {'path': 'company_fax', 'v': company_fax}, {'path': 'brands', 'v': brands}
  ], recursive := true)
  FROM company_v1_raw
  WHERE is_object
),
items AS (
  SELECT row_id, path, unnest(json_items(v)) AS item, generate_subscripts(json_items(v), 1) - 1 AS i FROM lists
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR) FROM lists WHERE json_type(v) = 'OBJECT' AND NOT json_is_list(v)
UNION ALL
SELECT row_id, 'wrong_type', '$.' || path || '[' || i || ']', CAST(item AS VARCHAR) FROM items WHERE json_is_nested(item);

INSERT INTO company_v1_typed BY NAME
WITH sizes AS (
  -- Companies have few different sizes, so parse each one once.
  SELECT text, size_bounds(text) AS bounds FROM (SELECT DISTINCT json_text(size) AS text FROM company_v1_raw)
),
typed AS (
  SELECT
    row_id,
    company_id,
    observed_at,
    body_hash,
    json_text(name) AS name,
    upper(json_text(country_short_name)) AS country_code,
    json_text(country_name) AS country_name,
    json_text(registration_number) AS registration_number,
    json_text(vat_number) AS vat_number,
    json_text(company_legal_form) AS legal_form,
    json_text(company_website) AS website,
    json_text(company_phone) AS phone_text,
    CASE WHEN json_is_nested(company_phone) THEN json_texts(company_phone) ELSE phone_texts(json_text(company_phone)) END AS phones,
    json_text(company_email) AS email_text,
    CASE WHEN json_is_nested(company_email) THEN json_texts(company_email) ELSE email_texts(json_text(company_email)) END AS emails,
    json_text(company_fax) AS fax_text,
    CASE WHEN json_is_nested(company_fax) THEN json_texts(company_fax) ELSE phone_texts(json_text(company_fax)) END AS faxes,
    json_text(brands) AS brands_text,
    CASE WHEN json_is_nested(brands) OR json_inner_list(brands) IS NOT NULL THEN json_texts(brands) ELSE comma_texts(json_text(brands)) END AS brands,
    json_text(address_street) AS address_street,
    json_text(address_location) AS address_location,
    json_text(country_region) AS country_region,
    json_text(zip_code) AS zip_code,
    json_text(size) AS size_text,
    sizes.bounds.lo AS employees_min,
    sizes.bounds.hi AS employees_max,
    text_date(json_text(founding_date)) AS founding_date,
    company_extra_v1(doc) AS extra
  FROM company_v1_raw
  LEFT JOIN sizes ON sizes.text = json_text(size)
  WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
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
