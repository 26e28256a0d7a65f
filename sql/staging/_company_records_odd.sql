-- Second pass of company records of both versions: reads the records in `odd_rows` value by value, with the macros for all
-- spellings. Adds them to `company_fields`.
CREATE OR REPLACE TEMP TABLE odd_companies AS
WITH source AS (
  SELECT
    *,
    json_transform(doc, '{
      "id":"JSON", "name":"JSON", "registration_number":"JSON", "country_code":"JSON", "company_phone":"JSON",
      "company_email":"JSON", "company_fax":"JSON", "company_website":"JSON", "company_legal_form":"JSON", "status":"JSON",
      "brands":"JSON", "address_street":"JSON", "address_location":"JSON", "address_city":"JSON", "country_region":"JSON",
      "zip_code":"JSON", "country_name":"JSON", "size":"JSON", "vat_number":"JSON", "founding_date":"JSON",
      "industry":"JSON", "sic":"JSON", "microblog":"JSON", "pronet":"JSON", "socialnet":"JSON", "country_short_name":"JSON"
    }') AS f
  FROM company_docs
  WHERE row_id IN (SELECT row_id FROM odd_rows)
)
SELECT row_id, observed_at, body_hash, doc, company_id, f.*
FROM source;

-- Reject whole records.
INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN json_type(doc) <> 'OBJECT' THEN 'not_an_object'
    WHEN company_id IS NULL THEN 'bad_entity_id'
    WHEN json_id(id) IS NULL THEN json_id_fault(id)
    ELSE 'other_id'
  END,
  '$',
  CAST(doc AS VARCHAR)
FROM odd_companies
WHERE json_type(doc) <> 'OBJECT' OR company_id IS NULL OR json_id(id) IS DISTINCT FROM company_id;

-- Reject each value of the wrong kind, such as an array instead of a plain value. The rest of the record is loaded.
INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR)
FROM (
  UNPIVOT odd_companies
  ON COLUMNS(* EXCLUDE (row_id, observed_at, body_hash, doc, company_id, id, company_phone, company_email, company_fax, brands, industry, sic))
  INTO NAME path VALUE v
)
WHERE json_is_nested(v)
  -- Fields that the version does not list.
  AND NOT list_contains(
    CASE getvariable('stream')
      WHEN 'companies_v1' THEN ['country_code', 'status', 'address_city', 'microblog', 'pronet', 'socialnet']
      ELSE ['country_short_name']
    END, path);

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN day IS NULL THEN 'not_a_date' ELSE 'not_a_time' END, '$.founding_date', CAST(founding_date AS VARCHAR)
FROM (SELECT row_id, founding_date, json_text(founding_date) AS text, text_date(text) AS day FROM odd_companies WHERE json_text(founding_date) IS NOT NULL)
WHERE day IS NULL OR text_has_bad_time(text);

CREATE OR REPLACE TEMP TABLE odd_lists AS
SELECT *
FROM (
  UNPIVOT (SELECT row_id, company_phone, company_email, company_fax, brands, industry, sic FROM odd_companies)
  ON COLUMNS(* EXCLUDE (row_id)) INTO NAME path VALUE v
)
WHERE getvariable('stream') <> 'companies_v1' OR path NOT IN ('industry', 'sic');

INSERT INTO batch_rejects
WITH items AS (
  SELECT row_id, path, unnest(json_items(v)) AS item, generate_subscripts(json_items(v), 1) - 1 AS i FROM odd_lists
)
SELECT row_id, 'wrong_type', '$.' || path, CAST(v AS VARCHAR)
FROM odd_lists
WHERE NOT json_is_list(v) AND (json_type(v) = 'OBJECT' OR path IN ('industry', 'sic'))
UNION ALL
SELECT row_id, CASE WHEN path IN ('industry', 'sic') THEN 'no_id' ELSE 'wrong_type' END, '$.' || path || '[' || i || ']', CAST(item AS VARCHAR)
FROM items
WHERE CASE WHEN path IN ('industry', 'sic') THEN json_id(json_extract(item, '$.id')) IS NULL ELSE json_is_nested(item) END;

-- One row for each classification. extra: its fields that the reference does not list.
CREATE OR REPLACE TEMP TABLE odd_codes AS
SELECT
  row_id,
  coalesce(json_text(json_extract(item, '$.type')), path) AS scheme,
  json_id(json_extract(item, '$.id')) AS code_id,
  json_text(json_extract(item, '$.value')) AS value,
  CASE WHEN NOT json_keys(item) <@ ['id', 'type', 'value'] THEN CAST(json_merge_patch(item, '{"id":null, "type":null, "value":null}') AS VARCHAR) END
    AS extra
FROM (SELECT row_id, path, unnest(json_items(v)) AS item FROM odd_lists WHERE path IN ('industry', 'sic'))
WHERE json_id(json_extract(item, '$.id')) IS NOT NULL;

INSERT INTO company_fields BY NAME
SELECT
  row_id,
  observed_at,
  body_hash,
  company_id,
  json_text(COLUMNS(* EXCLUDE (row_id, observed_at, body_hash, company_id, doc, code_list))),
  -- A plain text of version 1 may hold several numbers or addresses.
  CASE WHEN getvariable('stream') = 'companies_v1' AND NOT json_is_nested(company_phone) THEN phone_texts(json_text(company_phone))
    ELSE json_texts(company_phone) END AS phones,
  CASE WHEN getvariable('stream') = 'companies_v1' AND NOT json_is_nested(company_email) THEN email_texts(json_text(company_email))
    ELSE json_texts(company_email) END AS emails,
  CASE WHEN getvariable('stream') = 'companies_v1' AND NOT json_is_nested(company_fax) THEN phone_texts(json_text(company_fax))
    ELSE json_texts(company_fax) END AS faxes,
  CASE WHEN json_is_nested(brands) OR json_inner_list(brands) IS NOT NULL THEN json_texts(brands) ELSE comma_texts(json_text(brands)) END
    AS brand_names,
  text_date(json_text(founding_date)) AS founded_on,
  coalesce(code_list, []) AS codes,
  CASE getvariable('stream') WHEN 'companies_v1' THEN company_extra_v1(doc) ELSE company_extra(doc) END AS extra
FROM odd_companies
LEFT JOIN (
  SELECT row_id, list_sort(list_distinct(list({'scheme': scheme, 'code_id': code_id, 'value': value}))) AS code_list FROM odd_codes GROUP BY row_id
) USING (row_id)
WHERE row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

-- For single industries, too, only the latest values of fields that the reference does not list are kept. If a later
-- record has no such fields, core.company_codes ignores the kept values.
MERGE INTO ledger.code_extras AS old
USING (
  WITH codes AS (
    SELECT row_id, scheme, code_id, value, max(extra) AS extra FROM odd_codes WHERE extra IS NOT NULL GROUP BY ALL
  )
  SELECT
    f.company_id, f.observed_at, f.body_hash,
    list({'scheme': c.scheme, 'code_id': c.code_id, 'value': c.value, 'extra': CAST(c.extra AS JSON)} ORDER BY c.scheme, c.code_id, c.value)
      AS extras
  FROM codes AS c
  JOIN company_fields AS f USING (row_id)
  GROUP BY f.row_id, f.company_id, f.observed_at, f.body_hash
  QUALIFY row_number() OVER (PARTITION BY f.company_id ORDER BY f.observed_at DESC, f.body_hash DESC, f.row_id) = 1
) AS new ON old.company_id = new.company_id
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;
