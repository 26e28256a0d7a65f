/*
model: base.restated_values
kind: incremental
version: 1
grain: version of a financial value in a year with several contents
key: [company_id, fiscal_year, source, report_date, ind, valid_from]
nullable: [report_date]
description: >-
  Versions of the values of each year that has had different contents, or whose content was missing for some time. The values of
  the other years are in base.year_values, because they have one version. core.financials and core.financials_history read both
  tables. Not promised.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  source: VARCHAR | API version that sent the value (v2 or v1)
  report_date: DATE | Date of the v1 report; NULL for v2
  ind: UINTEGER | Id of the indicator (base.indicator_ids)
  valid_from: TIMESTAMPTZ | When this value was first observed
  valid_to: TIMESTAMPTZ | When a later report first had another value or lacked the value; NULL while the value is current
  version: INTEGER | Version number, from 1
  value_double: DOUBLE | Value as a number; NULL if it is not a number
  value_text: VARCHAR | Value as text, if the API sent text or the indicator is a text; otherwise NULL
  previous_double: DOUBLE | value_double of the version before; NULL for the first version
  previous_text: VARCHAR | value_text of the version before; NULL for the first version
audits:
  - name: has_a_value
    severity: error
    sql: SELECT * FROM base.restated_values SEMI JOIN changed USING (company_id) WHERE value_double IS NULL AND value_text IS NULL
  - name: versions_do_not_overlap
    severity: error
    sql: SELECT * FROM base.restated_values SEMI JOIN changed USING (company_id) WHERE valid_to <= valid_from
*/
-- Only years with several contents, or with a gap between the first and the last answer with their content.
WITH several_states AS (
  SELECT *
  FROM (
    SELECT *, min(content_id) OVER by_year <> max(content_id) OVER by_year AS differs,
      min(observed_at) FILTER (content_id IS NOT NULL) OVER by_year AS first_at,
      max(observed_at) FILTER (content_id IS NOT NULL) OVER by_year AS last_at
    -- A company with one answer, or with the same answer each time, has no other versions.
    FROM ledger.report_states('changed', 2)
    WINDOW by_year AS (PARTITION BY company_id, source, fiscal_year, report_date)
  )
  QUALIFY bool_or(differs OR (content_id IS NULL AND observed_at BETWEEN first_at AND last_at))
    OVER (PARTITION BY company_id, source, fiscal_year, report_date)
),

contents AS (
  SELECT DISTINCT company_id, source, fiscal_year, report_date, content_id FROM several_states WHERE content_id IS NOT NULL
),

year_values AS (
  SELECT c.*, v.ind, v.value_double, v.value_text
  FROM contents AS c
  JOIN base.year_values AS v ON v.content_id = c.content_id AND v.company_id = c.company_id
  UNION ALL
  SELECT c.*, u.ind, NULL, NULL FROM contents AS c JOIN ledger.unreadable_values AS u USING (content_id)
),

-- Pair each value that occurs in any answer with each answer that could contain it.
cells AS (
  SELECT k.company_id, k.source, k.fiscal_year, k.report_date, k.ind, s.observed_at, v.value_double, v.value_text,
    v.content_id IS NOT NULL AS present
  FROM several_states AS s
  JOIN (SELECT DISTINCT company_id, source, fiscal_year, report_date, ind FROM year_values) AS k
    ON k.company_id = s.company_id AND k.source = s.source AND k.fiscal_year = s.fiscal_year
    AND k.report_date IS NOT DISTINCT FROM s.report_date
  LEFT JOIN year_values AS v ON v.content_id = s.content_id AND v.ind = k.ind
  WHERE v.value_double IS NOT NULL OR v.value_text IS NOT NULL OR (v.content_id IS NULL AND NOT s.unknown_years)
  -- If a whole report and an answer for a single year have the same time, use the answer for the single year.
  QUALIFY row_number() OVER (
    PARTITION BY k.company_id, k.source, k.fiscal_year, k.report_date, k.ind, s.observed_at ORDER BY s.scope_year NULLS LAST
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
  QUALIFY said IS DISTINCT FROM lag(said) OVER (PARTITION BY company_id, fiscal_year, ind, source, report_date ORDER BY observed_at)
),

bounded AS (
  SELECT *, lead(observed_at) OVER (PARTITION BY company_id, fiscal_year, ind, source, report_date ORDER BY observed_at) AS valid_to
  FROM changes
)

SELECT company_id, CAST(fiscal_year AS INTEGER) AS fiscal_year, source, report_date, ind, observed_at AS valid_from, valid_to,
  CAST(row_number() OVER by_value AS INTEGER) AS version, value_double, value_text, lag(value_double) OVER by_value AS previous_double,
  lag(value_text) OVER by_value AS previous_text
FROM bounded
WHERE present
WINDOW by_value AS (PARTITION BY company_id, fiscal_year, ind, source, report_date ORDER BY observed_at)
