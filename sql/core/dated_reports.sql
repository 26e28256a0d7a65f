/*
model: core.dated_reports
kind: incremental
needs: [ledger.v1_reports]
version: 1
grain: v1 report of a company
key: [company_id, report_date]
description: >-
  Financial reports of v1, one row per report date, without the values. A year may have several reports; the table has
  all of them. A report that later answers no longer contain keeps its row. core.financials_history has the values of
  each report.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  report_date: DATE | Date of the report
  fiscal_year: INTEGER | Year of report_date
  country: VARCHAR | Field country of the answer that contains the report, as the API writes it; NULL if none
  source_processed_on: DATE | Field sourceProcessedDate of the report; NULL if none
  modified_at: TIMESTAMPTZ | Field modifyDate of the report; NULL if none
  is_latest: BOOLEAN | True if core.financials has the values of this report
  observed_at: TIMESTAMPTZ | When an answer last contained the report
  indicators: STRUCT(indicator VARCHAR, progress DOUBLE, processed_at TIMESTAMPTZ)[] | Fields progress and processedTime of each value in the report, by indicator
*/
WITH answers AS (
  SELECT company_id, record_hash AS report_hash, max(observed_at) AS observed_at
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream = 'financials_v1' AND readable
  GROUP BY ALL
),

reports AS (
  SELECT a.company_id, a.observed_at, v.*
  FROM answers AS a
  JOIN ledger.reports AS r ON r.company_id = a.company_id AND r.source = 'v1' AND r.report_hash = a.report_hash
  JOIN ledger.v1_reports AS v USING (report_id)
  -- Answers with the same time have no order. Choose the same one in every build.
  QUALIFY row_number() OVER (PARTITION BY a.company_id, v.report_date ORDER BY a.observed_at DESC, a.report_hash DESC) = 1
),

beside AS (
  SELECT v.report_id, v.report_date,
    list({'indicator': i.indicator, 'progress': v.progress, 'processed_at': v.processed_at} ORDER BY i.indicator) AS indicators
  FROM ledger.v1_values AS v
  SEMI JOIN reports USING (report_id, report_date)
  JOIN base.indicator_ids AS i ON i.id = v.ind
  GROUP BY ALL
)

SELECT r.company_id, r.report_date, CAST(year(r.report_date) AS INTEGER) AS fiscal_year, r.country, r.source_processed_on,
  r.modified_at, coalesce(y.is_latest, false) AS is_latest, r.observed_at, coalesce(b.indicators, []) AS indicators
FROM reports AS r
LEFT JOIN beside AS b USING (report_id, report_date)
LEFT JOIN (SELECT * FROM base.report_years SEMI JOIN changed USING (company_id) WHERE source = 'v1') AS y
  ON y.company_id = r.company_id AND y.report_date = r.report_date
