-- Loads reports from GET /v2/financial/{id}: objects with years as keys. Reads a whole report with one cast to nested
-- maps. If the value of a year is no object, its map is NULL. The values inside keep their JSON text, so that 1.5 and
-- "1.5" stay different.
--
-- First pass: reads all new reports in one statement, because nearly all are correct. For an incorrect part of a report,
-- gives a row without a value. For an indicator that is not in base.indicator_ids, gives a row without `ind`.
CREATE OR REPLACE TEMP TABLE batch_values AS
WITH reports AS (
  SELECT report_id, years, report_repeats(years) AS has_duplicates
  FROM (
    SELECT report_id, TRY_CAST(json_read(body) AS MAP(VARCHAR, MAP(VARCHAR, JSON))) AS years
    FROM parts
    JOIN (FROM batch_reports WHERE is_new) USING (row_id)
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
    TRY_CAST(year_key AS SMALLINT) AS fiscal_year,
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
  LEFT JOIN (SELECT id AS ind, indicator, kind FROM base.indicator_ids) USING (indicator)
)
SELECT
  report_id,
  fiscal_year,
  CAST(NULL AS DATE) AS report_date,
  ind,
  CASE WHEN isfinite(d) THEN d END AS value_double,
  -- If the reference says that a value is text and the report has a number, fill both value columns.
  CASE WHEN isfinite(d) THEN coalesce(t, CASE WHEN is_text THEN v END) WHEN d IS NULL AND is_number IS NOT TRUE THEN nullif(t, '') END
    AS value_text
FROM numbers;

-- Reports with an incorrect part or a new indicator, for the second pass.
CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id, report_id, is_new
FROM batch_reports
WHERE NOT is_new
  OR report_id IN (SELECT report_id FROM batch_values WHERE ind IS NULL OR (value_double IS NULL AND value_text IS NULL));
