/*
model: core.financials
kind: incremental
version: 1
grain: value of an indicator in a fiscal year of a company, by source
key: [company_id, fiscal_year, indicator, source]
description: >-
  Latest reported financial values, one row per value, text indicators included. A number that the API sent as text fills
  both value columns. Values of v1 and v2 of the API are separate rows, so filter on source before you add values up. If v1
  has two reports of one year, this table has the later report; core.financials_history has both reports.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
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
audits:
  - name: currency_without_code
    severity: warn
    sql: SELECT DISTINCT company_id, fiscal_year FROM core.financials SEMI JOIN changed USING (company_id) WHERE currency IS NOT NULL AND NOT regexp_full_match(currency, '[A-Z]{3}')
  - name: reported_date_not_parsed
    severity: warn
    sql: >-
      SELECT company_id, fiscal_year, source, value_text AS example FROM core.financials SEMI JOIN changed USING (company_id)
      WHERE indicator = 'Reported-Date' AND iso_date(value_text) IS NULL
*/
-- Each report of a year, with the currency and the date that it states.
WITH reports AS (
  SELECT company_id, fiscal_year, source, report_date,
    any_value(value_text) FILTER (indicator = 'Currency') AS currency,
    any_value(value_text) FILTER (indicator = 'Reported-Date') AS reported_date
  FROM core.financials_history
  SEMI JOIN changed USING (company_id)
  WHERE is_current
  GROUP BY ALL
),

-- v1 may have several reports of a year. Use the latest one.
latest_reports AS (
  SELECT * FROM reports WHERE source = 'v2'
  UNION ALL
  SELECT * FROM reports WHERE source = 'v1' QUALIFY report_date = max(report_date) OVER (PARTITION BY company_id, fiscal_year)
),

reads AS (
  SELECT company_id, CASE stream WHEN 'financials' THEN 'v2' ELSE 'v1' END AS source, scope_year, max(observed_at) AS read_at
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream IN ('financials', 'financials_v1') AND readable
  GROUP BY ALL
),

years AS (
  SELECT r.company_id, r.fiscal_year, r.source, r.report_date, r.currency,
    coalesce(r.report_date, iso_date(r.reported_date)) AS reported_date,
    greatest(whole.read_at, single.read_at) AS observed_at
  FROM latest_reports AS r
  LEFT JOIN reads AS whole ON whole.company_id = r.company_id AND whole.source = r.source AND whole.scope_year IS NULL
  LEFT JOIN reads AS single
    ON single.company_id = r.company_id AND single.source = r.source AND single.scope_year = r.fiscal_year
),

-- The extra fields of v1 values come from the latest v1 answer of each company. For v2 values, the extra fields are
-- NULL.
latest AS (
  SELECT company_id, arg_max(record_hash, (observed_at, record_hash)) AS report_hash
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream = 'financials_v1' AND readable
  GROUP BY company_id
),

beside AS (
  SELECT r.company_id, v.*
  FROM latest AS l
  JOIN ledger.reports AS r ON r.company_id = l.company_id AND r.source = 'v1' AND r.report_hash = l.report_hash
  JOIN ledger.v1_values AS v USING (report_id)
)

SELECT v.company_id, v.fiscal_year, v.indicator, v.value_double, v.value_text, y.currency, y.reported_date, v.source, y.observed_at,
  b.progress, b.processed_at, b.modified_at, b.source_processed_on
FROM core.financials_history AS v
JOIN years AS y
  ON y.company_id = v.company_id AND y.fiscal_year = v.fiscal_year AND y.source = v.source
  AND y.report_date IS NOT DISTINCT FROM v.report_date
LEFT JOIN beside AS b
  ON b.company_id = v.company_id AND b.indicator = v.indicator AND b.report_date = v.report_date
WHERE v.is_current
