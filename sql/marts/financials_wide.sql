/*
model: marts.financials_wide
kind: incremental
version: 1
grain: fiscal year of a company
key: [company_id, fiscal_year]
description: The main figures of each fiscal year side by side. Where both interfaces report one, v2 counts.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Year of the report
  currency: VARCHAR | Currency of the amounts
  turnover: DOUBLE | Turnover
  gross_profit: DOUBLE | Gross-Profit
  operating_profit: DOUBLE | Operating-Profit
  ebitda: DOUBLE | EBITDA
  pre_tax_profit: DOUBLE | Pre-Tax-Profit
  profit_after_tax: DOUBLE | Profit-after-Tax
  total_assets: DOUBLE | Total-Assets
  total_liabilities: DOUBLE | Total-Liabilities
  net_worth: DOUBLE | Net-Worth
  cash: DOUBLE | Cash
  employees: BIGINT | Employee-Numbers
*/
SELECT
  company_id,
  fiscal_year,
  arg_max(currency, source) AS currency,
  arg_max(value_double, source) FILTER (indicator = 'Turnover') AS turnover,
  arg_max(value_double, source) FILTER (indicator = 'Gross-Profit') AS gross_profit,
  arg_max(value_double, source) FILTER (indicator = 'Operating-Profit') AS operating_profit,
  arg_max(value_double, source) FILTER (indicator = 'EBITDA') AS ebitda,
  arg_max(value_double, source) FILTER (indicator = 'Pre-Tax-Profit') AS pre_tax_profit,
  arg_max(value_double, source) FILTER (indicator = 'Profit-after-Tax') AS profit_after_tax,
  arg_max(value_double, source) FILTER (indicator = 'Total-Assets') AS total_assets,
  arg_max(value_double, source) FILTER (indicator = 'Total-Liabilities') AS total_liabilities,
  arg_max(value_double, source) FILTER (indicator = 'Net-Worth') AS net_worth,
  arg_max(value_double, source) FILTER (indicator = 'Cash') AS cash,
  TRY_CAST(arg_max(value_double, source) FILTER (indicator = 'Employee-Numbers') AS BIGINT) AS employees
FROM core.financials
SEMI JOIN changed USING (company_id)
GROUP BY company_id, fiscal_year
