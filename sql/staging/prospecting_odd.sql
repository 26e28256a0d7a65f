-- Second pass of prospecting.sql: reads the pages in `odd_rows` company by company. Adds their companies to `sighted`.
INSERT INTO batch_rejects
SELECT row_id, 'no_data', '$', CAST(doc AS VARCHAR)
FROM batch
WHERE row_id IN (SELECT row_id FROM odd_rows) AND NOT json_is_list(json_extract(doc, '$.data'));

CREATE OR REPLACE TEMP TABLE odd_sighted AS
WITH items AS (
  SELECT
    row_id, run, market, date, observed_at,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM batch
  WHERE row_id IN (SELECT row_id FROM odd_rows) AND NOT ends_with(request_key, '#probe')
)
SELECT
  *,
  json_repeats(item) AS repeats,
  CASE WHEN NOT repeats THEN json_id(json_extract(item, '$.id')) END AS company_id,
  json_text(json_extract(item, '$.name')) AS name
FROM items;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' ELSE json_id_fault(json_extract(item, '$.id')) END, '$.data[' || i || ']', CAST(item AS VARCHAR)
FROM odd_sighted
WHERE company_id IS NULL;

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.data[' || i || '].name', CAST(json_extract(item, '$.name') AS VARCHAR)
FROM odd_sighted
WHERE company_id IS NOT NULL AND json_is_nested(json_extract(item, '$.name'));

INSERT INTO sighted BY NAME
SELECT row_id, run, market, date, observed_at, company_id, name FROM odd_sighted WHERE company_id IS NOT NULL;
