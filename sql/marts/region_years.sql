/*
model: marts.region_years
kind: table
version: 1
grain: region, country and fiscal year
key: [region, country_code, fiscal_year]
nullable: [region, country_code]
description: >-
  The financial years of marts.company_years, by region, country and fiscal year. The region is that of marts.companies, today's region of the company. Companies that left their market are
  included, because their earlier years count. Medians and quartiles take only the companies that have the value.
columns:
  region: VARCHAR | Region within the country, as in marts.companies; NULL for companies without one
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2; NULL for companies without one
  fiscal_year: INTEGER | Fiscal year
  companies: BIGINT | Companies with a report of the year
  with_turnover: BIGINT | How many of these companies report a turnover
  with_turnover_eur: BIGINT | How many of these companies have a turnover in EUR; turnover_eur_total adds only these
  turnover_eur_total: DOUBLE | Turnover of these companies, in EUR
  turnover_eur_q1: DOUBLE | First quartile of the turnover, in EUR
  turnover_eur_median: DOUBLE | Median of the turnover, in EUR
  turnover_eur_q3: DOUBLE | Third quartile of the turnover, in EUR
  reporting_currency: VARCHAR | Currency of the columns with _reporting; EUR without the setting fx
  with_turnover_reporting: BIGINT | How many of these companies have a turnover in reporting_currency; turnover_reporting_total adds only these
  turnover_reporting_total: DOUBLE | Turnover of these companies, in reporting_currency
  turnover_reporting_median: DOUBLE | Median of the turnover, in reporting_currency
  profit_margin_q1: DOUBLE | First quartile of profit_margin (0.1 is 10 %)
  profit_margin_median: DOUBLE | Median of profit_margin
  profit_margin_q3: DOUBLE | Third quartile of profit_margin
  turnover_growth_q1: DOUBLE | First quartile of turnover_growth (0.1 is 10 %)
  turnover_growth_median: DOUBLE | Median of turnover_growth
  turnover_growth_q3: DOUBLE | Third quartile of turnover_growth
  employees_total: BIGINT | Employees of the companies that report them; NULL if BIGINT cannot hold the sum
*/
SELECT c.region, c.country_code, y.fiscal_year,
  count(*) AS companies,
  count(y.turnover) AS with_turnover,
  count(y.turnover_eur) AS with_turnover_eur,
  sum(y.turnover_eur ORDER BY y.turnover_eur) AS turnover_eur_total,
  quantile_cont(y.turnover_eur, 0.25) AS turnover_eur_q1,
  median(y.turnover_eur) AS turnover_eur_median,
  quantile_cont(y.turnover_eur, 0.75) AS turnover_eur_q3,
  any_value(y.reporting_currency) AS reporting_currency,
  count(y.turnover_reporting) AS with_turnover_reporting,
  sum(y.turnover_reporting ORDER BY y.turnover_reporting) AS turnover_reporting_total,
  median(y.turnover_reporting) AS turnover_reporting_median,
  quantile_cont(y.profit_margin, 0.25) AS profit_margin_q1,
  median(y.profit_margin) AS profit_margin_median,
  quantile_cont(y.profit_margin, 0.75) AS profit_margin_q3,
  quantile_cont(y.turnover_growth, 0.25) AS turnover_growth_q1,
  median(y.turnover_growth) AS turnover_growth_median,
  quantile_cont(y.turnover_growth, 0.75) AS turnover_growth_q3,
  TRY_CAST(sum(y.employees) AS BIGINT) AS employees_total
FROM marts.company_years AS y
LEFT JOIN marts.companies AS c USING (company_id)
GROUP BY ALL
