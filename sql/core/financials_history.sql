/*
model: core.financials_history
kind: incremental
version: 2
grain: version of a financial value
key: [company_id, fiscal_year, indicator, source, report_date, valid_from]
nullable: [report_date]
description: >-
  Versions of each financial value (restatements). A new version starts with the first report that states another
  value. If a later report of the same years lacks a value, the value ends without a successor. A malformed value is
  ignored, and the version before it stays current. v1 may have several reports of a year; this table has all of them,
  by report_date. v2 has one report a year. The rows do not depend on the order in which observations were loaded.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  indicator: VARCHAR | Name of the indicator, as the API writes it
  source: VARCHAR | API version that sent the value (v2 or v1)
  report_date: DATE | Date of the v1 report; NULL for v2
  valid_from: TIMESTAMPTZ | When this value was first observed
  valid_to: TIMESTAMPTZ | When a later report first had another value or lacked the value; NULL while the value is current
  is_current: BOOLEAN | True while no later report has another value or lacks the value
  version: INTEGER | Version number, from 1; a version above 1 is a restatement
  value_double: DOUBLE | Value as a number; NULL if it is not a number
  value_text: VARCHAR | Value as text, if the API sent text or the indicator is a text; otherwise NULL
  previous_double: DOUBLE | value_double of the version before; NULL for the first version
  previous_text: VARCHAR | value_text of the version before; NULL for the first version
audits:
  - name: has_a_value
    severity: error
    sql: SELECT * FROM core.financials_history SEMI JOIN changed USING (company_id) WHERE value_double IS NULL AND value_text IS NULL
  - name: versions_do_not_overlap
    severity: error
    sql: SELECT * FROM core.financials_history SEMI JOIN changed USING (company_id) WHERE valid_to <= valid_from
*/
WITH observed AS (
  SELECT company_id, CASE stream WHEN 'financials' THEN 'v2' ELSE 'v1' END AS source, scope_year, observed_at,
    max(record_hash) AS report_hash
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream IN ('financials', 'financials_v1') AND readable
  GROUP BY ALL
),

-- Drop an answer that repeats the answer before it.
told AS (
  SELECT *
  FROM observed
  QUALIFY (report_hash, scope_year) IS DISTINCT FROM
    lag((report_hash, scope_year)) OVER (PARTITION BY company_id, source ORDER BY observed_at, scope_year NULLS FIRST)
),

steps AS (
  SELECT t.*, r.report_id, count(*) OVER (PARTITION BY t.company_id, t.source) AS steps
  FROM told AS t
  JOIN ledger.reports AS r USING (company_id, source, report_hash)
),

-- Companies with only one answer, or whose answers are all the same. Each of their values has one version.
unchanged AS (
  SELECT s.company_id, v.fiscal_year, v.indicator, s.source, v.report_date, s.observed_at AS valid_from, NULL AS valid_to,
    1 AS version, v.value_double, v.value_text, NULL AS previous_double, NULL AS previous_text
  FROM steps AS s
  JOIN ledger.report_values AS v USING (report_id)
  WHERE s.steps = 1
    AND (s.scope_year IS NULL OR s.scope_year = v.fiscal_year)
    AND v.indicator IS NOT NULL
    AND (v.value_double IS NOT NULL OR v.value_text IS NOT NULL)
),

-- The other companies. Pair each value that occurs in any answer with each answer that could contain it.
many AS (
  SELECT * FROM steps WHERE steps > 1
),

known AS (
  SELECT v.*, r.company_id, r.source
  FROM (SELECT DISTINCT company_id, source, report_id FROM many) AS r
  JOIN ledger.report_values AS v USING (report_id)
),

cells AS (
  SELECT k.company_id, k.fiscal_year, k.indicator, k.source, k.report_date, m.observed_at, v.value_double, v.value_text,
    v.report_id IS NOT NULL AS present
  FROM many AS m
  JOIN (SELECT DISTINCT company_id, fiscal_year, indicator, source, report_date FROM known WHERE indicator IS NOT NULL) AS k
    ON k.company_id = m.company_id AND k.source = m.source AND (m.scope_year IS NULL OR m.scope_year = k.fiscal_year)
  LEFT JOIN known AS v
    ON v.report_id = m.report_id AND v.fiscal_year = k.fiscal_year AND v.indicator = k.indicator AND v.report_date IS NOT DISTINCT FROM k.report_date
  ANTI JOIN (SELECT * FROM known WHERE indicator IS NULL) AS unreadable
    ON unreadable.report_id = m.report_id AND unreadable.fiscal_year = k.fiscal_year
    AND unreadable.report_date IS NOT DISTINCT FROM k.report_date
  WHERE v.value_double IS NOT NULL
    OR v.value_text IS NOT NULL
    -- In a report with an unreadable year or date, the value may still be present. So do not treat it as removed.
    OR (v.report_id IS NULL AND m.report_id NOT IN (SELECT report_id FROM known WHERE indicator IS NULL AND fiscal_year IS NULL))
  -- If a whole report and an answer for a single year have the same time, use the answer for the single year.
  QUALIFY row_number() OVER (
    PARTITION BY k.company_id, k.fiscal_year, k.indicator, k.source, k.report_date, m.observed_at ORDER BY m.scope_year NULLS LAST
  ) = 1
),

-- The number 1.5 and the text "1.5" are the same value.
compared AS (
  SELECT *, CASE WHEN present THEN coalesce(CAST(value_double AS VARCHAR), value_text) END AS said
  FROM cells
),

changes AS (
  SELECT *
  FROM compared
  QUALIFY said IS DISTINCT FROM
    lag(said) OVER (PARTITION BY company_id, fiscal_year, indicator, source, report_date ORDER BY observed_at)
),

bounded AS (
  SELECT *, lead(observed_at) OVER (
      PARTITION BY company_id, fiscal_year, indicator, source, report_date ORDER BY observed_at
    ) AS valid_to
  FROM changes
),

changed_values AS (
  SELECT
    company_id, fiscal_year, indicator, source, report_date, observed_at AS valid_from, valid_to,
    CAST(row_number() OVER by_value AS INTEGER) AS version, value_double, value_text,
    lag(value_double) OVER by_value AS previous_double, lag(value_text) OVER by_value AS previous_text
  FROM bounded
  WHERE present
  WINDOW by_value AS (PARTITION BY company_id, fiscal_year, indicator, source, report_date ORDER BY observed_at)
)

SELECT company_id, fiscal_year, indicator, source, report_date, valid_from, CAST(valid_to AS TIMESTAMPTZ) AS valid_to,
  valid_to IS NULL AS is_current, version, value_double, value_text, CAST(previous_double AS DOUBLE) AS previous_double,
  CAST(previous_text AS VARCHAR) AS previous_text
FROM (SELECT * FROM unchanged UNION ALL SELECT * FROM changed_values)
