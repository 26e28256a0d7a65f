/*
model: marts.companies
kind: table
version: 1
grain: company
key: [company_id]
description: >-
  Companies with their latest figures. The figures are those of the latest fiscal year with a turnover, from
  marts.financials_wide. They are NULL for a company without any turnover.
columns:
  company_id: BIGINT | Id of the company
  name: VARCHAR | Registered name
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2
  status: VARCHAR | Status label (Active, Inactive, Intermediate)
  founding_date: DATE | Founding date
  employees_min: INTEGER | Lower bound of the employee count in the company record; NULL if it has none
  employees_max: INTEGER | Upper bound of the employee count in the company record; NULL if it has none
  fiscal_year: INTEGER | Latest fiscal year with a turnover; turnover, profit and employees are of this year
  turnover: DOUBLE | Turnover in turnover_currency
  turnover_currency: VARCHAR | Currency of turnover and profit; NULL for figures from v1, which states no currency
  turnover_eur: DOUBLE | Turnover in EUR; NULL if turnover_currency is not EUR, because Tidemark has no exchange rates
  profit: DOUBLE | Profit after tax in turnover_currency; NULL if not reported
  employees: BIGINT | Employees in the report of that year; NULL if not reported
  figures_source: VARCHAR | API version of the figures (v2, or v1 if v2 has no value of that year)
*/
WITH latest AS (
  SELECT *
  FROM marts.financials_wide
  WHERE turnover IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY company_id ORDER BY fiscal_year DESC) = 1
)

SELECT c.company_id, c.name, c.country_code, c.status, c.founding_date, c.employees_min, c.employees_max, f.fiscal_year, f.turnover,
  f.currency AS turnover_currency, CASE WHEN f.currency = 'EUR' THEN f.turnover END AS turnover_eur, f.profit_after_tax AS profit,
  f.employees, f.source AS figures_source
FROM core.companies AS c
LEFT JOIN latest AS f USING (company_id)
