/*
model: marts.companies
kind: table
version: 1
grain: company
key: [company_id]
description: Companies with the figures of their latest fiscal year that has a turnover, as in marts.financials_wide.
columns:
  company_id: BIGINT | Id of the company
  name: VARCHAR | Registered name
  country_code: VARCHAR | Country, ISO 3166-1 alpha-2
  status: VARCHAR | Status label
  founding_date: DATE | Day of founding
  employees_min: INTEGER | Lower bound of the size the company record states
  employees_max: INTEGER | Upper bound of the size the company record states
  fiscal_year: INTEGER | Latest fiscal year with a turnover; the figures beside it are of that year
  turnover: DOUBLE | Turnover in turnover_currency
  turnover_currency: VARCHAR | Currency of turnover and profit; NULL where the figures are v1's, which states none
  turnover_eur: DOUBLE | Turnover where it is stated in EUR; NULL for other currencies while no rate table is configured
  profit: DOUBLE | Profit after tax in turnover_currency
  employees: BIGINT | Employees the report of that year states
  figures_source: VARCHAR | Interface the figures are from (v2, or v1 where v2 has no value of that year)
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
