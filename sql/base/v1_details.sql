/*
model: base.v1_details
kind: incremental
needs: [ledger.v1_reports]
version: 1
grain: value of a v1 report in the latest answer of a company
key: [company_id, report_date, ind]
description: >-
  What version 1 of the API says beside a value, as its latest answer says it. core.financials reads this table. Not promised.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  report_date: DATE | Date of the report
  ind: UINTEGER | Id of the indicator (base.indicator_ids)
  progress: DOUBLE | Field progress of the value
  processed_at: TIMESTAMPTZ | Field processedTime of the value
  modified_at: TIMESTAMPTZ | Field modifyDate of the report
  source_processed_on: DATE | Field sourceProcessedDate of the report
*/
WITH latest AS (
  SELECT company_id, arg_max(record_hash, (observed_at, record_hash)) AS report_hash
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream = 'financials_v1' AND readable
  GROUP BY company_id
)

SELECT l.company_id, v.report_date, v.ind, v.progress, v.processed_at, d.modified_at, d.source_processed_on
FROM latest AS l
JOIN ledger.reports AS r ON r.company_id = l.company_id AND r.source = 'v1' AND r.report_hash = l.report_hash
JOIN ledger.v1_values AS v USING (report_id)
JOIN ledger.v1_reports AS d USING (report_id, report_date)
