/*
model: marts.financials_wide
kind: incremental
version: 1
grain: fiscal year of a company
key: [company_id, fiscal_year]
description: >-
  Main figures of each fiscal year, one column per indicator. All figures of a row come from one API version: v2, or v1 if
  v2 has no value of that year. If v1 and v2 state different values for a year, marts.financials_disagreement lists the
  differences. NULL means that the report has no such value.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  currency: VARCHAR | Currency of the amounts; NULL for v1, which states none
  reported_date: DATE | Date that the report of the year states; NULL if it states none
  turnover: DOUBLE | Indicator Turnover
  gross_profit: DOUBLE | Indicator Gross-Profit
  operating_profit: DOUBLE | Indicator Operating-Profit
  ebitda: DOUBLE | Indicator EBITDA
  pre_tax_profit: DOUBLE | Indicator Pre-Tax-Profit
  profit_after_tax: DOUBLE | Indicator Profit-after-Tax
  total_assets: DOUBLE | Indicator Total-Assets
  total_liabilities: DOUBLE | Indicator Total-Liabilities
  net_worth: DOUBLE | Indicator Net-Worth
  cash: DOUBLE | Indicator Cash
  employees: BIGINT | Indicator Employee-Numbers
  source: VARCHAR | API version of the row (v2, or v1 if v2 has no value of that year)
*/
WITH years AS (
  SELECT * FROM base.report_years SEMI JOIN changed USING (company_id) WHERE is_latest
),

-- Use v1 only if v2 has no value of the year.
chosen AS (
  SELECT * FROM years WHERE source = 'v2'
  UNION ALL
  SELECT *
  FROM (SELECT * FROM years WHERE source = 'v1')
  ANTI JOIN (SELECT * FROM years WHERE source = 'v2') USING (company_id, fiscal_year)
),

main_indicators AS (
  SELECT id AS ind, indicator FROM base.indicator_ids
  WHERE indicator IN (
    'Turnover', 'Gross-Profit', 'Operating-Profit', 'EBITDA', 'Pre-Tax-Profit', 'Profit-after-Tax', 'Total-Assets', 'Total-Liabilities', 'Net-Worth', 'Cash',
    'Employee-Numbers'
  )
),

-- Filter by indicator first, because most values are not needed.
main_values AS (
  SELECT y.company_id, y.fiscal_year, i.indicator, v.value_double
  FROM (SELECT * FROM base.year_values SEMI JOIN main_indicators USING (ind)) AS v
  JOIN chosen AS y ON y.content_id = v.content_id AND y.company_id = v.company_id
  JOIN main_indicators AS i USING (ind)
  UNION ALL
  SELECT y.company_id, y.fiscal_year, i.indicator, r.value_double
  FROM base.restated_values AS r
  JOIN main_indicators AS i USING (ind)
  JOIN chosen AS y
    ON y.company_id = r.company_id AND y.fiscal_year = r.fiscal_year AND y.source = r.source
    AND y.report_date IS NOT DISTINCT FROM r.report_date
  WHERE r.valid_to IS NULL
),

-- Each group has at most one value of each indicator.
figures AS (
  SELECT
    company_id,
    fiscal_year,
    any_value(value_double) FILTER (indicator = 'Turnover') AS turnover,
    any_value(value_double) FILTER (indicator = 'Gross-Profit') AS gross_profit,
    any_value(value_double) FILTER (indicator = 'Operating-Profit') AS operating_profit,
    any_value(value_double) FILTER (indicator = 'EBITDA') AS ebitda,
    any_value(value_double) FILTER (indicator = 'Pre-Tax-Profit') AS pre_tax_profit,
    any_value(value_double) FILTER (indicator = 'Profit-after-Tax') AS profit_after_tax,
    any_value(value_double) FILTER (indicator = 'Total-Assets') AS total_assets,
    any_value(value_double) FILTER (indicator = 'Total-Liabilities') AS total_liabilities,
    any_value(value_double) FILTER (indicator = 'Net-Worth') AS net_worth,
    any_value(value_double) FILTER (indicator = 'Cash') AS cash,
    any_value(value_double) FILTER (indicator = 'Employee-Numbers') AS employees
  FROM main_values
  GROUP BY company_id, fiscal_year
)

SELECT company_id, fiscal_year, y.currency, y.reported_date, f.turnover, f.gross_profit, f.operating_profit, f.ebitda, f.pre_tax_profit, f.profit_after_tax,
  f.total_assets, f.total_liabilities, f.net_worth, f.cash, TRY_CAST(f.employees AS BIGINT) AS employees, y.source
FROM chosen AS y
LEFT JOIN figures AS f USING (company_id, fiscal_year)
