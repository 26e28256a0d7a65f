-- Second pass of v2 reports: reads the reports with an incorrect part or a new indicator again, value by value. An empty
-- report in another shape, such as `[]`, is a report without years.
CREATE OR REPLACE TEMP TABLE odd_reports AS
SELECT o.*, CASE WHEN json_is_blank_map(json_read(body)) THEN JSON '{}' ELSE json_read(body) END AS doc,
  TRY_CAST(doc AS MAP(VARCHAR, MAP(VARCHAR, JSON))) AS years, TRY_CAST(doc AS MAP(VARCHAR, JSON)) AS texts, body
FROM parts
JOIN odd_rows AS o USING (row_id);

UPDATE odd_reports SET years = NULL WHERE cardinality(years) > getvariable('bounds').years;

DELETE FROM batch_values WHERE report_id IN (SELECT report_id FROM odd_rows WHERE is_new);

INSERT INTO batch_rejects
SELECT
  r.row_id,
  CASE WHEN doc IS NULL THEN 'not_json' WHEN cardinality(texts) > getvariable('bounds').years THEN 'too_many_years' ELSE 'not_an_object' END,
  '$',
  body
FROM (SELECT row_id AS first_row, doc, texts, body FROM odd_reports WHERE years IS NULL)
JOIN report_rows AS r USING (first_row);

DELETE FROM report_rows WHERE first_row IN (SELECT row_id FROM odd_reports WHERE years IS NULL);
DELETE FROM batch_reports WHERE row_id IN (SELECT row_id FROM odd_reports WHERE years IS NULL);
DELETE FROM odd_reports WHERE years IS NULL;

CREATE OR REPLACE TEMP TABLE odd_years AS
WITH unnested AS (
  SELECT
    row_id,
    report_id,
    is_new,
    unnest(map_keys(years)) AS year_key,
    unnest(map_values(years)) AS indicators,
    -- Of a repeated year, each gets the text of the first.
    unnest(list_transform(map_keys(texts), lambda name: map_values(texts)[list_position(map_keys(texts), name)])) AS text
  FROM odd_reports
)
SELECT
  u.* EXCLUDE (text),
  CASE WHEN regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN CAST(year_key AS SMALLINT) END AS fiscal_year,
  CASE
    WHEN NOT regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN 'not_a_year'
    WHEN count(*) OVER (PARTITION BY row_id, year_key) > 1 THEN 'duplicate_key'
    -- An empty value means a year without values. Any other value that is no object is an error.
    WHEN indicators IS NULL AND NOT json_is_blank(text) THEN 'not_an_object'
  END AS reason,
  CASE WHEN reason IS NOT NULL THEN coalesce(CAST(text AS VARCHAR), 'null') END AS raw
FROM unnested AS u;

-- One row per value of a report. `v` is the JSON text of the value. `d` is the value as a number. `t` is its text, if
-- the value is a string or boolean.
CREATE OR REPLACE TEMP TABLE odd_values AS
WITH cells AS (
  SELECT row_id, report_id, is_new, fiscal_year, unnest(map_keys(indicators)) AS indicator,
    CAST(unnest(map_values(indicators)) AS VARCHAR) AS v
  FROM odd_years
  WHERE reason IS NULL AND list_unique(map_keys(indicators)) = cardinality(indicators)
  UNION ALL
  -- A year may contain an indicator twice. Equal values give one row. Different values become one unreadable value.
  SELECT row_id, report_id, is_new, fiscal_year, indicator,
    CASE WHEN count(DISTINCT v) = 1 THEN any_value(v) ELSE '[' || string_agg(v, ',' ORDER BY v) || ']' END AS v
  FROM (
    SELECT *, unnest(map_keys(indicators)) AS indicator, coalesce(CAST(unnest(map_values(indicators)) AS VARCHAR), 'null') AS v
    FROM odd_years
    WHERE reason IS NULL AND list_unique(map_keys(indicators)) < cardinality(indicators)
  )
  GROUP BY ALL
),
texts AS (
  SELECT *, report_text(v) AS t
  FROM cells
  WHERE v <> 'null'
),
numbers AS (
  SELECT *, report_number(v, t) AS d FROM texts WHERE t IS DISTINCT FROM ''
)
SELECT *, report_fault(v, d, indicator IN (SELECT indicator FROM base.indicator_ids WHERE kind <> 'string')) AS reason
FROM numbers;

-- Several landed rows may contain the same report. Give each of these rows the report's rejects.
INSERT INTO batch_rejects
WITH found AS (
  SELECT row_id AS first_row, reason, json_path(year_key) AS path, raw FROM odd_years WHERE reason IS NOT NULL
  UNION ALL
  SELECT row_id, reason, json_path(CAST(fiscal_year AS VARCHAR)) || '.' || json_path(indicator)[3:], v FROM odd_values WHERE reason IS NOT NULL
)
SELECT r.row_id, f.reason, f.path, f.raw FROM found AS f JOIN report_rows AS r USING (first_row);
