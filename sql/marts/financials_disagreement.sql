/*
model: marts.financials_disagreement
kind: incremental
version: 1
grain: indicator of a fiscal year for which v1 and v2 of the API state different values
key: [company_id, fiscal_year, indicator]
description: >-
  Values on which v1 and v2 of the API disagree. 1.5 and "1.5" are equal. Indicators that only one version states are
  left out. The dates often explain a difference, because one report is interim and the other annual, or one answer is
  older than the other.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the reports
  indicator: VARCHAR | Name of the indicator, as the API writes it
  v2_double: DOUBLE | v2 value as a number; NULL if it is not a number
  v1_double: DOUBLE | v1 value as a number; NULL if it is not a number
  v2_text: VARCHAR | v2 value as text; NULL for a plain number
  v1_text: VARCHAR | v1 value as text; NULL for a plain number
  difference: DOUBLE | v1_double minus v2_double; NULL unless both are numbers and DOUBLE can hold the result
  share: DOUBLE | Absolute value of difference divided by v2_double; NULL unless both are numbers, v2_double is not 0 and DOUBLE can hold the result
  currency: VARCHAR | Currency that v2 states for the year; NULL if it states none
  v2_reported_date: DATE | Date of the v2 report
  v1_reported_date: DATE | Date of the v1 report
  v2_observed_at: TIMESTAMPTZ | When the v2 report was last read
  v1_observed_at: TIMESTAMPTZ | When the v1 report was last read
*/
-- Most markets read no v1 reports. Then this list is empty, and DuckDB reads no values.
WITH years AS (
  SELECT v2.company_id, v2.fiscal_year, v2.content_id AS v2_content, v1.content_id AS v1_content, v1.report_date AS v1_report_date,
    v2.currency, v2.reported_date AS v2_reported_date, v1.reported_date AS v1_reported_date,
    v2.observed_at AS v2_observed_at, v1.observed_at AS v1_observed_at
  FROM (SELECT * FROM base.report_years SEMI JOIN changed USING (company_id) WHERE source = 'v1' AND is_latest) AS v1
  JOIN (SELECT * FROM base.report_years WHERE source = 'v2' AND is_latest) AS v2 USING (company_id, fiscal_year)
),

v2 AS (
  SELECT y.company_id, y.fiscal_year, v.ind, v.value_double, v.value_text
  FROM years AS y
  JOIN base.year_values AS v ON v.content_id = y.v2_content AND v.company_id = y.company_id
  UNION ALL
  SELECT y.company_id, y.fiscal_year, r.ind, r.value_double, r.value_text
  FROM years AS y
  JOIN base.restated_values AS r ON r.company_id = y.company_id AND r.fiscal_year = y.fiscal_year
  WHERE y.v2_content IS NULL AND r.source = 'v2' AND r.valid_to IS NULL
),

v1 AS (
  SELECT y.company_id, y.fiscal_year, v.ind, v.value_double, v.value_text
  FROM years AS y
  JOIN base.year_values AS v ON v.content_id = y.v1_content AND v.company_id = y.company_id
  UNION ALL
  SELECT y.company_id, y.fiscal_year, r.ind, r.value_double, r.value_text
  FROM years AS y
  JOIN base.restated_values AS r
    ON r.company_id = y.company_id AND r.fiscal_year = y.fiscal_year AND r.report_date = y.v1_report_date
  WHERE y.v1_content IS NULL AND r.source = 'v1' AND r.valid_to IS NULL
)

SELECT company_id, fiscal_year, i.indicator,
  v2.value_double AS v2_double, v1.value_double AS v1_double, v2.value_text AS v2_text, v1.value_text AS v1_text,
  CASE WHEN isfinite(v1.value_double - v2.value_double) THEN v1.value_double - v2.value_double END AS difference,
  CASE
    WHEN isfinite((v1.value_double - v2.value_double) / nullif(v2.value_double, 0))
    THEN abs((v1.value_double - v2.value_double) / nullif(v2.value_double, 0))
  END AS share,
  y.currency, y.v2_reported_date, y.v1_reported_date, y.v2_observed_at, y.v1_observed_at
FROM v2
JOIN v1 USING (company_id, fiscal_year, ind)
JOIN years AS y USING (company_id, fiscal_year)
JOIN base.indicator_ids AS i ON i.id = ind
WHERE CASE
  WHEN v1.value_double IS NOT NULL AND v2.value_double IS NOT NULL THEN v1.value_double <> v2.value_double
  -- A text that is a number also fills value_double. So if only one source has value_double, the values differ.
  ELSE v1.value_text IS DISTINCT FROM v2.value_text
END
