-- Second pass of _company_records.sql: reads the records in `odd_rows` value by value, with the macros for all spellings.
-- Adds them to `company_typed`.
CREATE OR REPLACE TEMP TABLE company_raw AS
WITH source AS (
  SELECT
    *,
    json_transform(doc, '{
      "id":"JSON", "name":"JSON", "registration_number":"JSON", "country_code":"JSON", "company_phone":"JSON",
      "company_email":"JSON", "company_fax":"JSON", "company_website":"JSON", "company_legal_form":"JSON", "status":"JSON",
      "brands":"JSON", "address_street":"JSON", "address_location":"JSON", "address_city":"JSON", "country_region":"JSON",
      "zip_code":"JSON", "country_name":"JSON", "size":"JSON", "vat_number":"JSON", "founding_date":"JSON",
      "industry":"JSON", "sic":"JSON", "microblog":"JSON", "pronet":"JSON", "socialnet":"JSON"
    }') AS f
  FROM company_docs
  WHERE row_id IN (SELECT row_id FROM odd_rows)
)
SELECT row_id, observed_at, body_hash, doc, company_id, f.*, json_type(doc) = 'OBJECT' AS is_object FROM source;

-- Reject each value of the wrong kind, such as an array instead of a plain value. The rest of the record is loaded.
INSERT INTO batch_rejects
WITH fields AS (
  SELECT row_id, unnest([
    {'path': 'name', 'v': name}, {'path': 'registration_number', 'v': registration_number},
    {'path': 'country_code', 'v': country_code}, {'path': 'company_website', 'v': company_website},
    {'path': 'company_legal_form', 'v': company_legal_form}, {'path': 'status', 'v': status},
    {'path': 'address_street', 'v': address_street}, {'path': 'address_location', 'v': address_location},
    {'path': 'address_city', 'v': address_city}, {'path': 'country_region', 'v': country_region},
    {'path': 'zip_code', 'v': zip_code}, {'path': 'country_name', 'v': country_name}, {'path': 'size', 'v': size},
    {'path': 'vat_number', 'v': vat_number}, {'path': 'founding_date', 'v': founding_date},
    {'path': 'microblog', 'v': microblog}, {'path': 'pronet', 'v': pronet}, {'path': 'socialnet', 'v': socialnet}
  ], recursive := true)
  FROM company_raw
  WHERE is_object
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR) FROM fields WHERE json_is_nested(v);

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN day IS NULL THEN 'not_a_date' ELSE 'not_a_time' END, '$.founding_date', CAST(founding_date AS VARCHAR)
FROM (SELECT row_id, founding_date, json_text(founding_date) AS text, text_date(text) AS day FROM company_raw WHERE json_text(founding_date) IS NOT NULL)
WHERE day IS NULL OR text_has_bad_time(text);

INSERT INTO batch_rejects
WITH lists AS (
  SELECT row_id, unnest([
    {'path': 'company_phone', 'v': company_phone}, {'path': 'company_email', 'v': company_email},
    {'path': 'company_fax', 'v': company_fax}, {'path': 'brands', 'v': brands}
  ], recursive := true)
  FROM company_raw
  WHERE is_object
),
items AS (
  SELECT row_id, path, unnest(json_items(v)) AS item, generate_subscripts(json_items(v), 1) - 1 AS i FROM lists
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR) FROM lists WHERE json_type(v) = 'OBJECT' AND NOT json_is_list(v)
UNION ALL
SELECT row_id, 'wrong_type', '$.' || path || '[' || i || ']', CAST(item AS VARCHAR) FROM items WHERE json_is_nested(item);

INSERT INTO batch_rejects
WITH lists AS (
  SELECT row_id, unnest([{'path': 'industry', 'v': industry}, {'path': 'sic', 'v': sic}], recursive := true)
  FROM company_raw
  WHERE is_object
),
items AS (
  SELECT row_id, path, unnest(json_items(v)) AS item, generate_subscripts(json_items(v), 1) - 1 AS i FROM lists
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR) FROM lists WHERE v IS NOT NULL AND NOT json_is_list(v)
UNION ALL
SELECT row_id, 'no_id', '$.' || path || '[' || i || ']', CAST(item AS VARCHAR)
FROM items
WHERE json_id(json_extract(item, '$.id')) IS NULL;

INSERT INTO company_typed BY NAME
WITH sizes AS (
  -- Companies have few different sizes, so parse each one once.
  SELECT text, size_bounds(text) AS bounds FROM (SELECT DISTINCT json_text(size) AS text FROM company_raw)
),
typed AS (
  SELECT
    row_id,
    company_id,
    observed_at,
    body_hash,
    json_text(name) AS name,
    upper(json_text(country_code)) AS country_code,
    json_text(country_name) AS country_name,
    json_text(registration_number) AS registration_number,
    json_text(vat_number) AS vat_number,
    json_text(status) AS status,
    json_text(company_legal_form) AS legal_form,
    json_text(company_website) AS website,
    json_texts(company_phone) AS phones,
    json_texts(company_email) AS emails,
    json_texts(company_fax) AS faxes,
    CASE WHEN json_is_nested(brands) OR json_inner_list(brands) IS NOT NULL THEN json_texts(brands) ELSE comma_texts(json_text(brands)) END AS brands,
    json_text(address_street) AS address_street,
    json_text(address_location) AS address_location,
    json_text(address_city) AS address_city,
    json_text(country_region) AS country_region,
    json_text(zip_code) AS zip_code,
    json_text(size) AS size_text,
    sizes.bounds.lo AS employees_min,
    sizes.bounds.hi AS employees_max,
    text_date(json_text(founding_date)) AS founding_date,
    json_text(pronet) AS pronet,
    json_text(microblog) AS microblog,
    json_text(socialnet) AS socialnet,
    list_sort(list_distinct(list_filter(
      list_concat(
        list_transform(json_items(industry), lambda x: {
          'scheme': coalesce(json_text(json_extract(x, '$.type')), 'industry'),
          'code_id': json_id(json_extract(x, '$.id')),
          'value': json_text(json_extract(x, '$.value'))
        }),
        list_transform(json_items(sic), lambda x: {
          'scheme': coalesce(json_text(json_extract(x, '$.type')), 'sic'),
          'code_id': json_id(json_extract(x, '$.id')),
          'value': json_text(json_extract(x, '$.value'))
        })
      ),
      lambda c: c.code_id IS NOT NULL
    ))) AS codes,
    company_extra(doc) AS extra
  FROM company_raw
  LEFT JOIN sizes ON sizes.text = json_text(size)
  WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$')
)
SELECT
  *,
  company_hash(
    [
      name, country_code, country_name, registration_number, vat_number, status, legal_form, website, address_street,
      address_location, address_city, country_region, zip_code, size_text, CAST(founding_date AS VARCHAR), pronet, microblog,
      socialnet
    ],
    [phones, emails, faxes, brands],
    codes
  ) AS record_hash
FROM typed;

-- For single industries, too, only the latest values of fields that the reference does not list are kept. If a later
-- record has no such fields, core.company_codes ignores the kept values.
MERGE INTO ledger.code_extras AS old
USING (
  WITH items AS (
    SELECT row_id, 'industry' AS list, unnest(json_items(industry)) AS item FROM company_raw
    UNION ALL
    SELECT row_id, 'sic', unnest(json_items(sic)) FROM company_raw
  ),
  codes AS (
    SELECT
      row_id,
      coalesce(json_text(json_extract(item, '$.type')), list) AS scheme,
      json_id(json_extract(item, '$.id')) AS code_id,
      json_text(json_extract(item, '$.value')) AS value,
      max(CAST(json_merge_patch(item, '{"id":null, "type":null, "value":null}') AS VARCHAR)) AS extra
    FROM items
    WHERE NOT json_keys(item) <@ ['id', 'type', 'value'] AND json_id(json_extract(item, '$.id')) IS NOT NULL
    GROUP BY ALL
  )
  SELECT
    t.company_id, t.observed_at, t.body_hash,
    list({'scheme': c.scheme, 'code_id': c.code_id, 'value': c.value, 'extra': CAST(c.extra AS JSON)} ORDER BY c.scheme, c.code_id, c.value)
      AS extras
  FROM codes AS c
  JOIN company_typed AS t USING (row_id)
  GROUP BY t.row_id, t.company_id, t.observed_at, t.body_hash
  QUALIFY row_number() OVER (PARTITION BY t.company_id ORDER BY t.observed_at DESC, t.body_hash DESC, t.row_id) = 1
) AS new ON old.company_id = new.company_id
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;
