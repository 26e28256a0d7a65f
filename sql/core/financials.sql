/*
model: core.financials
kind: incremental
version: 1
grain: value of an indicator in a fiscal year of a company, by source
key: [company_id, fiscal_year, indicator, source]
description: >-
  Financial values as last reported, one row each, text indicators included. A number that came as text has both values.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Year of the report
  indicator: VARCHAR | Name of the indicator, as the API writes it; see core.indicators
  value_double: DOUBLE | The value as a number, in the currency beside it where it is money; NULL where it is no number
  value_text: VARCHAR | The value as text, where it came as text
  currency: VARCHAR | Currency the report of that year states
  reported_date: DATE | Date the report of that year states
  source: VARCHAR | Interface it came from (v2 or v1)
  observed_at: TIMESTAMPTZ | When a report with this year was last read
audits:
  - name: currency_without_code
    severity: warn
    sql: SELECT DISTINCT company_id, fiscal_year FROM core.financials SEMI JOIN changed USING (company_id) WHERE currency IS NOT NULL AND NOT regexp_full_match(currency, '[A-Z]{3}')
*/
WITH open_values AS (
  SELECT company_id, fiscal_year, indicator, value_double, value_text, source
  FROM core.financials_history
  SEMI JOIN changed USING (company_id)
  WHERE is_current
),

-- What each year's report says about itself.
reports AS (
  SELECT company_id, fiscal_year, source,
    max(value_text) FILTER (indicator = 'Currency') AS currency,
    max(text_date(value_text)) FILTER (indicator = 'Reported-Date') AS reported_date
  FROM open_values
  WHERE indicator IN ('Currency', 'Reported-Date')
  GROUP BY ALL
),

reads AS (
  SELECT company_id, scope_year, max(observed_at) AS read_at
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream = 'financials' AND readable
  GROUP BY ALL
),

years AS (
  SELECT y.company_id, y.fiscal_year, y.source, r.currency, r.reported_date, greatest(whole.read_at, single.read_at) AS observed_at
  FROM (SELECT DISTINCT company_id, fiscal_year, source FROM open_values) AS y
  LEFT JOIN reports AS r USING (company_id, fiscal_year, source)
  LEFT JOIN reads AS whole ON whole.company_id = y.company_id AND whole.scope_year IS NULL
  LEFT JOIN reads AS single ON single.company_id = y.company_id AND single.scope_year = y.fiscal_year
)

SELECT v.company_id, v.fiscal_year, v.indicator, v.value_double, v.value_text, y.currency, y.reported_date, v.source, y.observed_at
FROM open_values AS v
JOIN years AS y USING (company_id, fiscal_year, source)
