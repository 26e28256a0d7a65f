-- Loads reports from GET /v2/financial/{id}: objects with years as keys. Reads a whole report with one cast to nested
-- maps. If the value of a year is no object, its map is NULL. The values inside keep their JSON text, so that 1.5 and
-- "1.5" stay different.
CREATE OR REPLACE TEMP TABLE report_rows AS
SELECT
  row_id,
  json_id(to_json(entity_id)) AS company_id,
  body_hash AS report_hash,
  CASE
    WHEN contains(request_key, 'year')
    THEN TRY_CAST(nullif(regexp_extract(request_key, '\byear\W{1,4}([0-9]{4})\b', 1), '') AS INTEGER)
  END AS scope_year,
  min(row_id) OVER (PARTITION BY entity_id, body_hash) AS first_row
FROM batch
WHERE fault IS NULL;

INSERT INTO batch_rejects
SELECT row_id, 'bad_entity_id', '$', body
FROM parts
WHERE row_id IN (SELECT row_id FROM report_rows WHERE company_id IS NULL);

DELETE FROM report_rows WHERE company_id IS NULL;

SET VARIABLE next_report = (SELECT coalesce(max(report_id), -1) + 1 FROM ledger.reports);

-- One row for each distinct report. A report that is already in the ledger is skipped if it has no rejects. If it has
-- rejects, it is read again, so that its rejects stay open.
CREATE OR REPLACE TEMP TABLE batch_reports AS
SELECT
  r.row_id,
  r.company_id,
  r.report_hash,
  getvariable('next_report') + r.row_id AS report_id,
  k.report_id IS NULL AS is_new
FROM report_rows AS r
LEFT JOIN ledger.reports AS k ON k.company_id = r.company_id AND k.report_hash = r.report_hash AND k.source = 'v2'
WHERE r.row_id = r.first_row AND NOT coalesce(k.clean, false);

-- First pass: loads all new reports in one statement, because nearly all are correct. For an incorrect part of a
-- report, inserts a row without a value.
INSERT INTO ledger.report_values BY NAME
WITH reports AS (
  SELECT report_id, years, report_repeats(years) AS has_duplicates
  FROM (
    SELECT
      getvariable('next_report') + row_id AS report_id,
      TRY_CAST(json_read(body) AS MAP(VARCHAR, MAP(VARCHAR, JSON))) AS years
    FROM parts
    WHERE row_id IN (SELECT row_id FROM batch_reports WHERE is_new)
  )
),
years AS (
  SELECT
    report_id,
    has_duplicates,
    unnest(CASE WHEN cardinality(years) <= getvariable('bounds').years THEN map_keys(years) ELSE [NULL] END) AS year_key,
    unnest(CASE WHEN cardinality(years) <= getvariable('bounds').years THEN map_values(years) ELSE [NULL] END) AS indicators
  FROM reports
),
judged AS (
  SELECT
    report_id,
    TRY_CAST(year_key AS INTEGER) AS fiscal_year,
    NOT has_duplicates
      AND regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}')
      AND NOT report_repeats(indicators) AS is_plain,
    indicators
  FROM years
),
cells AS (
  SELECT
    report_id,
    fiscal_year,
    unnest(CASE WHEN is_plain THEN map_keys(indicators) ELSE [NULL] END) AS indicator,
    CAST(unnest(CASE WHEN is_plain THEN map_values(indicators) ELSE [NULL] END) AS VARCHAR) AS v
  FROM judged
),
texts AS (
  SELECT *, report_text(v) AS t FROM cells WHERE indicator IS NULL OR v NOT IN ('null', '""')
),
numbers AS (
  SELECT
    *,
    report_number(v, t) AS d,
    kind <> 'string' AS is_number,
    kind = 'string' AS is_text
  FROM texts
  LEFT JOIN seed_indicators USING (indicator)
)
SELECT
  report_id,
  fiscal_year,
  indicator,
  CASE WHEN isfinite(d) THEN d END AS value_double,
  -- If the reference says that a value is text and the report has a number, fill both value columns.
  CASE WHEN isfinite(d) THEN coalesce(t, CASE WHEN is_text THEN v END) WHEN d IS NULL AND is_number IS NOT TRUE THEN nullif(t, '') END
    AS value_text
FROM numbers;

-- Second pass: reads the reports with an incorrect part again, value by value. An empty report in another shape, such as
-- `[]`, is a report without years.
CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id, report_id, is_new
FROM batch_reports
WHERE NOT is_new
  OR report_id IN (
    SELECT report_id
    FROM ledger.report_values
    WHERE report_id >= getvariable('next_report') AND value_double IS NULL AND value_text IS NULL
  );

CREATE OR REPLACE TEMP TABLE odd_reports AS
SELECT o.*, CASE WHEN json_is_blank_map(json_read(body)) THEN JSON '{}' ELSE json_read(body) END AS doc,
  TRY_CAST(doc AS MAP(VARCHAR, MAP(VARCHAR, JSON))) AS years, TRY_CAST(doc AS MAP(VARCHAR, JSON)) AS texts, body
FROM parts
JOIN odd_rows AS o USING (row_id);

UPDATE odd_reports SET years = NULL WHERE cardinality(years) > getvariable('bounds').years;

DELETE FROM ledger.report_values WHERE report_id IN (SELECT report_id FROM odd_rows WHERE is_new);

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

CREATE OR REPLACE TEMP TABLE report_years AS
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
  CASE WHEN regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN CAST(year_key AS INTEGER) END AS fiscal_year,
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
CREATE OR REPLACE TEMP TABLE report_long AS
WITH cells AS (
  SELECT row_id, report_id, is_new, fiscal_year, unnest(map_keys(indicators)) AS indicator,
    CAST(unnest(map_values(indicators)) AS VARCHAR) AS v
  FROM report_years
  WHERE reason IS NULL AND list_unique(map_keys(indicators)) = cardinality(indicators)
  UNION ALL
  -- A year may contain an indicator twice. Equal values give one row. Different values become one unreadable value.
  SELECT row_id, report_id, is_new, fiscal_year, indicator,
    CASE WHEN count(DISTINCT v) = 1 THEN any_value(v) ELSE '[' || string_agg(v, ',' ORDER BY v) || ']' END AS v
  FROM (
    SELECT *, unnest(map_keys(indicators)) AS indicator, coalesce(CAST(unnest(map_values(indicators)) AS VARCHAR), 'null') AS v
    FROM report_years
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
SELECT *, report_fault(v, d, indicator IN (SELECT indicator FROM seed_indicators WHERE kind <> 'string')) AS reason
FROM numbers;

-- Several landed rows may contain the same report. Give each of these rows the report's rejects.
INSERT INTO batch_rejects
WITH found AS (
  SELECT row_id AS first_row, reason, json_path(year_key) AS path, raw FROM report_years WHERE reason IS NOT NULL
  UNION ALL
  SELECT row_id, reason, json_path(CAST(fiscal_year AS VARCHAR)) || '.' || json_path(indicator)[3:], v FROM report_long WHERE reason IS NOT NULL
)
SELECT r.row_id, f.reason, f.path, f.raw FROM found AS f JOIN report_rows AS r USING (first_row);

INSERT INTO ledger.report_values BY NAME
SELECT
  report_id,
  fiscal_year,
  indicator,
  CASE WHEN reason IS NULL THEN d END AS value_double,
  CASE WHEN reason IS NULL THEN coalesce(t, CASE WHEN indicator IN (SELECT indicator FROM seed_indicators WHERE kind = 'string') THEN v END) END
    AS value_text
FROM report_long
WHERE is_new
UNION ALL BY NAME
-- For each year that could not be read, insert a row without values. fiscal_year is NULL if the year's name is
-- unreadable.
SELECT DISTINCT report_id, fiscal_year
FROM report_years
WHERE reason IS NOT NULL AND is_new;

INSERT INTO ledger.reports
SELECT report_id, company_id, 'v2', report_hash, row_id NOT IN (SELECT row_id FROM batch_rejects)
FROM batch_reports
WHERE is_new;

INSERT INTO batch_records SELECT row_id, company_id, report_hash, scope_year FROM report_rows;
INSERT INTO ledger.dirty_reports SELECT DISTINCT company_id FROM report_rows;
