/*
model: marts.company_years
kind: incremental
version: 1
grain: fiscal year of a company
key: [company_id, fiscal_year]
description: >-
  The figures of marts.financials_wide in their own currency, in EUR and in the reporting currency (fx.reporting in tidemark.yaml), with
  growth and ratios. Amounts are converted at the latest rate of core.fx_rates up to the end of the fiscal year, if this rate is at most
  31 days older. ops.checks counts the currencies and years without a rate (no_rate). Growth compares with the fiscal year before, and is
  NULL if that year is missing. Growth of turnover is also NULL if that year is in another currency or from another version of the API.
incremental:
  by: [company_id]
  changed: >-
    SELECT DISTINCT company_id FROM ledger.dirty_reports
    UNION SELECT company_id FROM marts.financials_wide
      WHERE EXISTS (FROM ledger.dirty_rates WHERE date IS NULL)
      OR (fiscal_year, currency) IN (
        SELECT unnest([year(date), year(date + 31)]), currency FROM ledger.dirty_rates
      )
      OR fiscal_year IN (
        SELECT unnest([year(date), year(date + 31)]) FROM ledger.dirty_rates
        WHERE currency = 'EUR' OR currency IN (SELECT reporting FROM ledger.fx_settings)
      )
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  year_end: DATE | End of the fiscal year. The date that the report states if it lies in the fiscal year, otherwise 31 December
  currency: VARCHAR | Currency of the amounts without a suffix; NULL for v1, which states none
  turnover: DOUBLE | Indicator Turnover, in currency
  gross_profit: DOUBLE | Indicator Gross-Profit, in currency
  operating_profit: DOUBLE | Indicator Operating-Profit, in currency
  ebitda: DOUBLE | Indicator EBITDA, in currency
  pre_tax_profit: DOUBLE | Indicator Pre-Tax-Profit, in currency
  profit_after_tax: DOUBLE | Indicator Profit-after-Tax, in currency
  total_assets: DOUBLE | Indicator Total-Assets, in currency
  total_liabilities: DOUBLE | Indicator Total-Liabilities, in currency
  net_worth: DOUBLE | Indicator Net-Worth, in currency
  cash: DOUBLE | Indicator Cash, in currency
  turnover_eur: DOUBLE | turnover in EUR, at eur_rate; NULL without a rate
  gross_profit_eur: DOUBLE | gross_profit in EUR, at eur_rate; NULL without a rate
  operating_profit_eur: DOUBLE | operating_profit in EUR, at eur_rate; NULL without a rate
  ebitda_eur: DOUBLE | ebitda in EUR, at eur_rate; NULL without a rate
  pre_tax_profit_eur: DOUBLE | pre_tax_profit in EUR, at eur_rate; NULL without a rate
  profit_after_tax_eur: DOUBLE | profit_after_tax in EUR, at eur_rate; NULL without a rate
  total_assets_eur: DOUBLE | total_assets in EUR, at eur_rate; NULL without a rate
  total_liabilities_eur: DOUBLE | total_liabilities in EUR, at eur_rate; NULL without a rate
  net_worth_eur: DOUBLE | net_worth in EUR, at eur_rate; NULL without a rate
  cash_eur: DOUBLE | cash in EUR, at eur_rate; NULL without a rate
  turnover_reporting: DOUBLE | turnover in reporting_currency, at reporting_rate; NULL without a rate
  gross_profit_reporting: DOUBLE | gross_profit in reporting_currency, at reporting_rate; NULL without a rate
  operating_profit_reporting: DOUBLE | operating_profit in reporting_currency, at reporting_rate; NULL without a rate
  ebitda_reporting: DOUBLE | ebitda in reporting_currency, at reporting_rate; NULL without a rate
  pre_tax_profit_reporting: DOUBLE | pre_tax_profit in reporting_currency, at reporting_rate; NULL without a rate
  profit_after_tax_reporting: DOUBLE | profit_after_tax in reporting_currency, at reporting_rate; NULL without a rate
  total_assets_reporting: DOUBLE | total_assets in reporting_currency, at reporting_rate; NULL without a rate
  total_liabilities_reporting: DOUBLE | total_liabilities in reporting_currency, at reporting_rate; NULL without a rate
  net_worth_reporting: DOUBLE | net_worth in reporting_currency, at reporting_rate; NULL without a rate
  cash_reporting: DOUBLE | cash in reporting_currency, at reporting_rate; NULL without a rate
  employees: BIGINT | Indicator Employee-Numbers
  previous_turnover: DOUBLE | Turnover of the fiscal year before, in currency; NULL if that year has none in the same currency
  turnover_growth: DOUBLE | Growth of turnover against the fiscal year before (0.1 is 10 %); NULL if that turnover is not above 0
  employees_growth: DOUBLE | Growth of employees against the fiscal year before, whatever its currency (0.1 is 10 %); NULL if there were none
  gross_margin: DOUBLE | gross_profit / turnover (0.1 is 10 %); NULL if turnover is not above 0
  operating_margin: DOUBLE | operating_profit / turnover (0.1 is 10 %); NULL if turnover is not above 0
  profit_margin: DOUBLE | profit_after_tax / turnover (0.1 is 10 %); NULL if turnover is not above 0
  equity_ratio: DOUBLE | net_worth / total_assets (0.1 is 10 %); NULL if total_assets is not above 0
  eur_rate: DOUBLE | How many EUR one unit of currency was worth; 1 if currency is EUR; NULL without a rate
  eur_rate_date: DATE | Day of the older of the rates in eur_rate; year_end if currency is EUR
  reporting_currency: VARCHAR | Currency of the columns with _reporting; EUR without the setting fx
  reporting_rate: DOUBLE | How many units of reporting_currency one unit of currency was worth; NULL without a rate
  reporting_rate_date: DATE | Day of the older of the rates in reporting_rate; year_end if both currencies are the same
  source: VARCHAR | API version of the row (v2, or v1 if v2 has no value of that year)
  is_latest: BOOLEAN | True for the latest fiscal year with a turnover, whose figures marts.companies shows
audits:
  - name: no_rate
    severity: warn
    sql: >-
      SELECT DISTINCT currency, fiscal_year FROM marts.company_years
      WHERE currency IS NOT NULL AND (eur_rate IS NULL OR reporting_rate IS NULL) AND EXISTS (FROM ledger.fx_rates)
*/
WITH years AS (
  SELECT *, CASE WHEN year(reported_date) = fiscal_year THEN reported_date ELSE TRY(make_date(fiscal_year, 12, 31)) END AS year_end
  FROM marts.financials_wide
  SEMI JOIN changed USING (company_id)
),

target AS (
  SELECT coalesce(max(reporting), 'EUR') AS reporting, max(base) AS base FROM ledger.fx_settings
),

year_ends AS (
  SELECT DISTINCT currency, year_end FROM years WHERE currency IS NOT NULL AND year_end IS NOT NULL
),

-- Each currency on each year end, EUR and the reporting currency included.
wanted AS (
  FROM year_ends
  UNION SELECT 'EUR', year_end FROM year_ends
  UNION SELECT reporting, year_end FROM year_ends, target
),

known AS (
  SELECT w.currency, w.year_end, r.rate, r.date
  FROM wanted AS w
  ASOF JOIN (SELECT f.currency, f.rate, f.date FROM core.fx_rates AS f, target WHERE f.currency <> target.base) AS r
    ON r.currency = w.currency AND w.year_end >= r.date
  WHERE r.date >= w.year_end - 31
  UNION ALL
  SELECT w.currency, w.year_end, 1, w.year_end FROM wanted AS w JOIN target ON target.base = w.currency
),

rates AS (
  SELECT y.currency, y.year_end, t.reporting,
    CASE WHEN y.currency = 'EUR' THEN 1 ELSE eur.rate / own.rate END AS eur_rate,
    CASE WHEN y.currency = 'EUR' THEN y.year_end WHEN own.date < eur.date THEN own.date ELSE eur.date END AS eur_date,
    CASE WHEN y.currency = t.reporting THEN 1 ELSE report.rate / own.rate END AS reporting_rate,
    CASE WHEN y.currency = t.reporting THEN y.year_end WHEN own.date < report.date THEN own.date ELSE report.date END AS reporting_date
  FROM year_ends AS y
  CROSS JOIN target AS t
  LEFT JOIN known AS own ON own.currency = y.currency AND own.year_end = y.year_end
  LEFT JOIN known AS eur ON eur.currency = 'EUR' AND eur.year_end = y.year_end
  LEFT JOIN known AS report ON report.currency = t.reporting AND report.year_end = y.year_end
)

SELECT y.company_id, y.fiscal_year, y.year_end, y.currency,
  y.turnover, y.gross_profit, y.operating_profit, y.ebitda, y.pre_tax_profit,
  y.profit_after_tax, y.total_assets, y.total_liabilities, y.net_worth, y.cash,
  y.turnover * r.eur_rate AS turnover_eur, y.gross_profit * r.eur_rate AS gross_profit_eur,
  y.operating_profit * r.eur_rate AS operating_profit_eur, y.ebitda * r.eur_rate AS ebitda_eur,
  y.pre_tax_profit * r.eur_rate AS pre_tax_profit_eur, y.profit_after_tax * r.eur_rate AS profit_after_tax_eur,
  y.total_assets * r.eur_rate AS total_assets_eur, y.total_liabilities * r.eur_rate AS total_liabilities_eur,
  y.net_worth * r.eur_rate AS net_worth_eur, y.cash * r.eur_rate AS cash_eur,
  y.turnover * r.reporting_rate AS turnover_reporting, y.gross_profit * r.reporting_rate AS gross_profit_reporting,
  y.operating_profit * r.reporting_rate AS operating_profit_reporting, y.ebitda * r.reporting_rate AS ebitda_reporting,
  y.pre_tax_profit * r.reporting_rate AS pre_tax_profit_reporting, y.profit_after_tax * r.reporting_rate AS profit_after_tax_reporting,
  y.total_assets * r.reporting_rate AS total_assets_reporting, y.total_liabilities * r.reporting_rate AS total_liabilities_reporting,
  y.net_worth * r.reporting_rate AS net_worth_reporting, y.cash * r.reporting_rate AS cash_reporting,
  y.employees,
  -- Amounts are comparable only in one currency. v1 states no currency, so amounts of v1 and v2 are not comparable.
  CASE WHEN before.currency IS NOT DISTINCT FROM y.currency AND before.source = y.source THEN before.turnover END AS previous_turnover,
  CASE WHEN previous_turnover > 0 THEN y.turnover / previous_turnover - 1 END AS turnover_growth,
  CASE WHEN before.employees > 0 THEN y.employees / before.employees - 1 END AS employees_growth,
  CASE WHEN y.turnover > 0 THEN y.gross_profit / y.turnover END AS gross_margin,
  CASE WHEN y.turnover > 0 THEN y.operating_profit / y.turnover END AS operating_margin,
  CASE WHEN y.turnover > 0 THEN y.profit_after_tax / y.turnover END AS profit_margin,
  CASE WHEN y.total_assets > 0 THEN y.net_worth / y.total_assets END AS equity_ratio,
  r.eur_rate, CASE WHEN r.eur_rate IS NOT NULL THEN r.eur_date END AS eur_rate_date,
  (SELECT reporting FROM target) AS reporting_currency,
  r.reporting_rate, CASE WHEN r.reporting_rate IS NOT NULL THEN r.reporting_date END AS reporting_rate_date,
  y.source,
  y.turnover IS NOT NULL AND y.fiscal_year = max(y.fiscal_year) FILTER (y.turnover IS NOT NULL) OVER (PARTITION BY y.company_id)
    AS is_latest
FROM years AS y
LEFT JOIN rates AS r ON r.currency = y.currency AND r.year_end = y.year_end
LEFT JOIN years AS before ON before.company_id = y.company_id AND before.fiscal_year = y.fiscal_year - 1
