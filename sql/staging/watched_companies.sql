-- Loads answers of GET /v2/companies/watch: one page of watched companies.
INSERT INTO batch_rejects
SELECT row_id, 'no_data', '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL AND NOT json_is_list(json_extract(doc, '$.data'));

CREATE OR REPLACE TEMP TABLE watched AS
WITH items AS (
  SELECT
    row_id, run, observed_at,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM batch
  WHERE doc IS NOT NULL
)
SELECT
  *,
  json_repeats(item) AS repeats,
  CASE WHEN NOT repeats THEN json_id(json_extract(item, '$.id')) END AS company_id,
  list_sort(json_texts(json_extract(item, '$.fields'))) AS fields,
  text_date(json_text(json_extract(item, '$.date'))) AS since,
  json_text(json_extract(item, '$.name')) AS name,
  upper(json_text(json_extract(item, '$.country_code'))) AS country_code,
  json_text(json_extract(item, '$.registration_number')) AS registration_number
FROM items;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' ELSE json_id_fault(json_extract(item, '$.id')) END, '$.data[' || i || ']', CAST(item AS VARCHAR)
FROM watched
WHERE company_id IS NULL;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN since IS NULL THEN 'not_a_date' ELSE 'not_a_time' END, '$.data[' || i || '].date', CAST(json_extract(item, '$.date') AS VARCHAR)
FROM watched
WHERE (since IS NULL AND json_type(json_extract(item, '$.date')) <> 'NULL') OR text_has_bad_time(json_text(json_extract(item, '$.date')));

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', f.path, CAST(f.v AS VARCHAR)
FROM (SELECT row_id, unnest(list_faults('$.data[' || i || '].fields', json_extract(item, '$.fields'))) AS f FROM watched WHERE company_id IS NOT NULL);

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.data[' || i || '].' || path, CAST(json_extract(item, '$.' || path) AS VARCHAR)
FROM (SELECT *, unnest(['name', 'country_code', 'registration_number']) AS path FROM watched WHERE company_id IS NOT NULL)
WHERE json_is_nested(json_extract(item, '$.' || path));

INSERT INTO ledger.watched_companies BY NAME
SELECT DISTINCT run, company_id, observed_at, fields, since, name, country_code, registration_number
FROM watched
WHERE company_id IS NOT NULL;
