-- Second pass of v1 reports: reads answers in another shape, with an incorrect part, or with a new indicator, value by
-- value.
CREATE OR REPLACE TEMP TABLE odd_answers AS
SELECT
  row_id,
  o.report_id,
  o.is_new,
  doc,
  json_extract(doc, '$.companyId') AS said_id,
  CASE
    WHEN json_is_blank_map(doc) THEN NULL
    WHEN json_type(doc) <> 'OBJECT' THEN 'not_an_object'
    WHEN json_text(said_id) IS NOT NULL AND json_id(said_id) IS DISTINCT FROM json_id(to_json(entity_id)) THEN 'other_id'
    -- An empty answer or list means that there are no reports. An answer with other fields, but without the list, is an
    -- error.
    WHEN NOT json_is_list(json_extract(doc, '$.reports')) THEN 'no_reports'
  END AS fault
FROM batch
JOIN odd_rows AS o USING (row_id);

-- Several landed rows may contain the same answer. Give each of these rows the answer's rejects.
INSERT INTO batch_rejects
SELECT r.row_id, o.fault, '$', CAST(o.doc AS VARCHAR)
FROM (SELECT row_id AS first_row, fault, doc FROM odd_answers WHERE fault IS NOT NULL) AS o
JOIN report_rows AS r USING (first_row);

DELETE FROM report_rows WHERE first_row IN (SELECT row_id FROM odd_answers WHERE fault IS NOT NULL);
DELETE FROM batch_reports WHERE row_id IN (SELECT row_id FROM odd_answers WHERE fault IS NOT NULL);
DELETE FROM odd_answers WHERE fault IS NOT NULL;

INSERT INTO batch_rejects
SELECT r.row_id, 'wrong_type', '$.country', o.country
FROM (
  SELECT row_id AS first_row, CAST(json_extract(doc, '$.country') AS VARCHAR) AS country
  FROM odd_answers
  WHERE json_is_nested(json_extract(doc, '$.country'))
) AS o
JOIN report_rows AS r USING (first_row);

-- One row for each report in an answer; a report is of one year.
CREATE OR REPLACE TEMP TABLE odd_years AS
WITH answers AS (
  SELECT row_id, report_id, is_new, json_items(json_extract(doc, '$.reports')) AS items
  FROM odd_answers
),
reports AS (
  SELECT row_id, report_id, is_new, unnest(generate_series(0, len(items) - 1)) AS position, unnest(items) AS report
  FROM answers
),
parsed AS (
  SELECT *, TRY_CAST(report AS MAP(VARCHAR, JSON)) AS members, json_text(members['date']) AS day_text FROM reports
),
told AS (
  SELECT
    * EXCLUDE (members, day_text),
    '$.reports[' || position || ']' AS path,
    members IS NOT NULL AS is_object,
    list_unique(map_keys(members)) < cardinality(members) AS repeats,
    CASE WHEN NOT repeats THEN report_day(day_text) END AS report_date,
    members['indicators'] AS indicators,
    members['modifyDate'] AS modified,
    stated_number(modified) AS modified_number,
    members['sourceProcessedDate'] AS source_processed,
    json_text(source_processed) AS source_processed_text,
    md5(CAST(report AS VARCHAR)) AS digest
  FROM parsed
),
-- Leave out the texts of the reports, because counting sorts its rows, and short rows sort faster.
counted AS (
  SELECT
    row_id,
    position,
    count(DISTINCT digest) OVER (PARTITION BY row_id, report_date) AS reports_that_day,
    position > min(position) OVER (PARTITION BY row_id, digest) AS is_again
  FROM told
)
SELECT
  told.* EXCLUDE (is_object, repeats, digest, report, modified_number, source_processed_text),
  CAST(year(report_date) AS SMALLINT) AS fiscal_year,
  unix_instant(modified_number) AS modified_at,
  report_day(source_processed_text) AS source_processed_on,
  CASE
    WHEN NOT is_object THEN 'not_an_object'
    WHEN repeats THEN 'duplicate_key'
    WHEN report_date IS NULL THEN 'not_a_date'
    -- Identical reports of one date count as one. Different reports of one date are treated as unreadable.
    WHEN reports_that_day > 1 THEN 'duplicate_key'
    WHEN json_type(indicators) <> 'OBJECT' AND NOT json_is_blank(indicators) THEN 'not_an_object'
  END AS reason,
  CASE WHEN reason IS NOT NULL THEN report END AS report,
  is_again
FROM told
JOIN counted USING (row_id, position);

-- One row per indicator. `v` is the JSON text of its value. `t` is the text of the value, if it is a string or boolean.
-- `d` is the value as a number.
CREATE OR REPLACE TEMP TABLE odd_values AS
WITH reports AS (
  SELECT
    row_id, report_id, is_new, fiscal_year, report_date, modified_at, source_processed_on, path,
    TRY_CAST(indicators AS MAP(VARCHAR, JSON)) AS items,
    report_repeats(items) AS repeats
  FROM odd_years
  WHERE reason IS NULL AND NOT is_again
),
cells AS (
  SELECT * EXCLUDE (items), unnest(map_keys(items)) AS indicator, unnest(map_values(items)) AS item
  FROM reports
),
single AS (
  SELECT *, false AS differs
  FROM cells
  WHERE NOT repeats
  UNION ALL BY NAME
  -- A report may contain an indicator twice. Equal values count as one. Different values make the indicator unreadable.
  SELECT * EXCLUDE (item), any_value(item) AS item, count(DISTINCT CAST(item AS VARCHAR)) > 1 AS differs
  FROM cells
  WHERE repeats
  GROUP BY ALL
),
members AS (
  SELECT * EXCLUDE (repeats), TRY_CAST(item AS MAP(VARCHAR, JSON)) AS members
  FROM single
  WHERE CAST(item AS VARCHAR) NOT IN ('null', '[]', 'false', '""')
),
parts AS (
  SELECT
    * EXCLUDE (members, item),
    CASE WHEN members IS NULL THEN 'not_an_object' WHEN differs OR list_unique(map_keys(members)) < cardinality(members) THEN 'duplicate_key' END AS item_fault,
    CASE WHEN item_fault IS NOT NULL THEN item END AS item,
    CAST(members['value'] AS VARCHAR) AS v,
    members['progress'] AS progress_said,
    members['processedTime'] AS processed_said
  FROM members
),
texts AS (
  SELECT *, report_text(v) AS t
  FROM parts
  WHERE item_fault IS NOT NULL OR v <> 'null'
),
numbers AS (
  SELECT
    *,
    report_number(v, t) AS d,
    stated_number(progress_said) AS p,
    stated_number(processed_said) AS processed_number
  FROM texts
)
SELECT
  * EXCLUDE (p, processed_number),
  coalesce(item_fault, report_fault(v, d, indicator IN (SELECT indicator FROM base.indicator_ids WHERE kind <> 'string'))) AS reason,
  CASE WHEN isfinite(p) THEN p END AS progress,
  unix_instant(processed_number) AS processed_at
FROM numbers
WHERE item_fault IS NOT NULL OR t IS DISTINCT FROM '';

-- Several landed rows may contain the same answer. Give each of these rows the answer's rejects.
INSERT INTO batch_rejects
WITH found AS (
  SELECT row_id AS first_row, reason, path, CAST(report AS VARCHAR) AS raw FROM odd_years WHERE reason IS NOT NULL
  UNION ALL
  SELECT row_id, 'not_an_instant', path || '.modifyDate', CAST(modified AS VARCHAR)
  FROM odd_years
  WHERE reason IS NULL AND modified_at IS NULL AND coalesce(json_type(modified), 'NULL') <> 'NULL'
  UNION ALL
  SELECT row_id, 'not_a_date', path || '.sourceProcessedDate', CAST(source_processed AS VARCHAR)
  FROM odd_years
  WHERE reason IS NULL AND source_processed_on IS NULL AND coalesce(json_type(source_processed), 'NULL') <> 'NULL'
  UNION ALL
  SELECT row_id, reason, v1_item_path(path, indicator) || CASE WHEN item_fault IS NULL THEN '.value' ELSE '' END,
    CASE WHEN item_fault IS NULL THEN v ELSE CAST(item AS VARCHAR) END
  FROM odd_values
  WHERE reason IS NOT NULL
  UNION ALL
  SELECT row_id, 'not_a_number', v1_item_path(path, indicator) || '.progress', CAST(progress_said AS VARCHAR)
  FROM odd_values
  WHERE item_fault IS NULL AND progress IS NULL AND coalesce(json_type(progress_said), 'NULL') <> 'NULL'
  UNION ALL
  SELECT row_id, 'not_an_instant', v1_item_path(path, indicator) || '.processedTime', CAST(processed_said AS VARCHAR)
  FROM odd_values
  WHERE item_fault IS NULL AND processed_at IS NULL AND coalesce(json_type(processed_said), 'NULL') <> 'NULL'
)
SELECT r.row_id, f.reason, f.path, f.raw FROM found AS f JOIN report_rows AS r USING (first_row);

INSERT INTO ledger.v1_reports
SELECT b.report_id, report_date, json_text(json_extract(b.doc, '$.country')), modified_at, source_processed_on
FROM odd_years
JOIN odd_answers AS b USING (row_id)
WHERE reason IS NULL AND NOT is_again AND b.is_new;
