-- Loads answers of GET /v1/finder/company/financial: lists of reports. A report has a date and indicators; an indicator
-- has a value and extra fields. The year of the date is the fiscal year.
--
-- First pass: reads all new answers in one statement, because nearly all are correct. Each report gives one row without an
-- indicator and one row for each value. is_odd: a part is incorrect, in another shape, or has a new indicator.
CREATE OR REPLACE TEMP TABLE report_cells AS
WITH answers AS (
  SELECT r.report_id, r.company_id, TRY_CAST(b.doc AS MAP(VARCHAR, JSON)) AS members
  FROM batch AS b
  JOIN (FROM batch_reports WHERE is_new) AS r USING (row_id)
),
lists AS (
  SELECT
    *,
    TRY_CAST(members['reports'] AS MAP(VARCHAR, JSON)[]) AS list,
    list IS NOT NULL
      AND coalesce(CAST(members['companyId'] AS VARCHAR) IN ('null', CAST(company_id AS VARCHAR), '"' || company_id || '"'), true)
      AND NOT json_is_nested(members['country']) AS is_plain
  FROM answers
),
reports AS (
  SELECT
    report_id,
    json_text(members['country']) AS country,
    unnest(CASE WHEN is_plain THEN list ELSE [NULL] END) AS report
  FROM lists
),
stated AS (
  SELECT
    report_id,
    country,
    report,
    json_text(report['date']) AS date_said,
    stated_number(report['modifyDate']) AS modified_said,
    json_text(report['sourceProcessedDate']) AS processed_said,
    TRY_CAST(report['indicators'] AS MAP(VARCHAR, MAP(VARCHAR, JSON))) AS items
  FROM reports
),
days AS (
  SELECT
    * EXCLUDE (date_said, modified_said, processed_said),
    report_day(date_said) AS report_date,
    unix_instant(modified_said) AS modified_at,
    report_day(processed_said) AS source_processed_on
  FROM stated
),
dated AS (
  SELECT
    * EXCLUDE (report),
    report_date IS NOT NULL
      AND NOT report_repeats(report)
      AND NOT report_repeats(items)
      AND (modified_at IS NOT NULL OR json_is_missing(report['modifyDate']))
      AND (source_processed_on IS NOT NULL OR json_is_missing(report['sourceProcessedDate'])) AS is_plain
  FROM days
),
cells AS (
  SELECT
    * EXCLUDE (items),
    unnest(CASE WHEN is_plain THEN list_prepend(NULL, map_keys(items)) ELSE [NULL] END) AS indicator,
    unnest(CASE WHEN is_plain THEN list_prepend(NULL, map_values(items)) ELSE [NULL] END) AS item
  FROM dated
),
members AS (
  SELECT
    *,
    CAST(item['value'] AS VARCHAR) AS v,
    item['progress'] AS progress_said,
    item['processedTime'] AS processed_said,
    -- Most items have only these fields, and each once.
    (v IS NOT NULL)::INTEGER + (progress_said IS NOT NULL)::INTEGER + (processed_said IS NOT NULL)::INTEGER AS known
  FROM cells
),
texts AS (
  SELECT
    * EXCLUDE (item, known),
    report_text(v) AS t,
    CASE WHEN cardinality(item) = known THEN false ELSE coalesce(list_unique(map_keys(item)) < cardinality(item), true) END AS is_odd_item
  FROM members
  WHERE indicator IS NULL OR item IS NULL OR v <> 'null' OR is_odd_item
),
numbers AS (
  SELECT
    *,
    report_number(v, t) AS d,
    stated_number(progress_said) AS p,
    stated_number(processed_said) AS processed_number
  FROM texts
  LEFT JOIN (SELECT id AS ind, indicator, kind FROM base.indicator_ids) USING (indicator)
),
typed AS (
  SELECT
    *,
    CASE WHEN isfinite(d) THEN d END AS value_double,
    -- If the reference says that a value is text and the report has a number, fill both value columns.
    CASE WHEN isfinite(d) THEN coalesce(t, CASE WHEN kind = 'string' THEN v END) WHEN d IS NULL AND coalesce(kind, 'string') = 'string' THEN nullif(t, '') END
      AS value_text,
    CASE WHEN isfinite(p) THEN p END AS progress,
    unix_instant(processed_number) AS processed_at
  FROM numbers
)
SELECT
  report_id,
  CAST(year(report_date) AS SMALLINT) AS fiscal_year,
  report_date,
  country,
  modified_at,
  source_processed_on,
  indicator IS NULL AS is_report,
  ind,
  value_double,
  value_text,
  progress,
  processed_at,
  NOT is_plain OR (indicator IS NOT NULL AND (
    is_odd_item
    OR ind IS NULL
    OR (value_double IS NULL AND value_text IS NULL)
    OR (progress IS NULL AND NOT json_is_missing(progress_said))
    OR (processed_at IS NULL AND NOT json_is_missing(processed_said))
  )) AS is_odd
FROM typed;

-- Answers for the second pass: those with an incorrect part, or with two reports of one date.
CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id, report_id, is_new
FROM batch_reports
WHERE NOT is_new
  OR report_id IN (SELECT report_id FROM report_cells WHERE is_odd)
  OR report_id IN (SELECT report_id FROM report_cells WHERE is_report GROUP BY report_id, report_date HAVING count(*) > 1);

DELETE FROM report_cells WHERE report_id IN (SELECT report_id FROM odd_rows WHERE is_new);

CREATE OR REPLACE TEMP TABLE batch_values AS
SELECT report_id, fiscal_year, report_date, ind, value_double, value_text, progress, processed_at
FROM report_cells
WHERE NOT is_report;

INSERT INTO ledger.v1_reports
SELECT report_id, report_date, country, modified_at, source_processed_on FROM report_cells WHERE is_report;
