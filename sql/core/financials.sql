/*
model: core.financials
kind: view
version: 1
grain: value of an indicator in a fiscal year of a company, by source
key: [company_id, fiscal_year, indicator, source]
description: >-
  Latest reported financial values, one row per value, text indicators included. A number that the API sent as text fills
  both value columns. Values of v1 and v2 of the API are separate rows, so filter on source before you add values up. If v1
  has two reports of one year, this table has the later report; core.financials_history has both reports.
check_key: false
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  indicator: VARCHAR | Name of the indicator, as the API writes it; see core.indicators
  value_double: DOUBLE | Value as a number, for money in the unit of column currency; NULL if it is not a number
  value_text: VARCHAR | Value as text, if the API sent text or the indicator is a text; otherwise NULL
  currency: VARCHAR | Currency that the report of that year states; NULL if it states none (v1 never does)
  reported_date: DATE | Date that the report of that year states; NULL if it states none
  source: VARCHAR | API version that sent the value (v2 or v1); part of the key
  observed_at: TIMESTAMPTZ | When a report with this year was last read
  progress: DOUBLE | Field progress of a v1 value, as last reported; the reference does not explain the field. NULL for v2
  processed_at: TIMESTAMPTZ | Field processedTime of a v1 value, as last reported; NULL for v2
  modified_at: TIMESTAMPTZ | Field modifyDate of a v1 report, as last reported; NULL for v2
  source_processed_on: DATE | Field sourceProcessedDate of a v1 report, as last reported; NULL for v2
*/
-- Current values of years that have had one content, and of years that have had several.
WITH current_values AS (
  SELECT v.company_id, y.fiscal_year, v.ind, v.value_double, v.value_text, y.currency, y.reported_date, y.source, y.report_date, y.observed_at
  FROM base.year_values AS v
  JOIN base.report_years AS y ON y.content_id = v.content_id AND y.company_id = v.company_id
  WHERE y.is_latest
  UNION ALL
  SELECT r.company_id, r.fiscal_year, r.ind, r.value_double, r.value_text, y.currency, y.reported_date, y.source, y.report_date, y.observed_at
  FROM base.restated_values AS r
  JOIN base.report_years AS y
    ON y.company_id = r.company_id AND y.fiscal_year = r.fiscal_year AND y.source = r.source
    AND y.report_date IS NOT DISTINCT FROM r.report_date
  WHERE r.valid_to IS NULL AND y.is_latest
)

SELECT v.company_id, v.fiscal_year, i.indicator, v.value_double, v.value_text, v.currency, v.reported_date, v.source, v.observed_at,
  d.progress, d.processed_at, d.modified_at, d.source_processed_on
FROM current_values AS v
JOIN base.indicator_ids AS i ON i.id = v.ind
-- The extra fields of v1 values come from the latest v1 answer of each company. For v2 values, they are NULL.
LEFT JOIN base.v1_details AS d ON d.company_id = v.company_id AND d.ind = v.ind AND d.report_date = v.report_date
