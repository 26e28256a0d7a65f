/*
model: marts.companies
kind: view
version: 1
grain: company
key: [company_id]
description: >-
  Companies with market membership, main classification and latest figures. The table has every company that Tidemark ever found, so
  filter on in_market or status. The figures are those of the latest fiscal year with a turnover, from marts.company_years. They are
  NULL for a company without any turnover.
check_key: false
columns:
  company_id: BIGINT | Id of the company
  name: VARCHAR | Registered name
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2
  status: VARCHAR | Status label (Active, Inactive, Intermediate) when the record was last read; see status_as_of
  status_as_of: TIMESTAMPTZ | When the record was last read; NULL if it was never read
  in_market: BOOLEAN | True if a night since the latest complete night found the company in a market, that night included. False if it left every market, or never was in one
  left_on: DATE | If in_market is false, the latest night on which a market listed the company as left; NULL if it never was in a market
  founding_date: DATE | Founding date
  industry_code: BIGINT | Id of the industry (scheme industry_focus of core.company_codes); if there are several, the lowest id, because the API names no main industry
  industry: VARCHAR | Name of that industry
  industries: VARCHAR[] | Names of all industries of the company, by id
  region: VARCHAR | Region within the country
  city: VARCHAR | City
  legal_form: VARCHAR | Legal form, as the API writes it
  employees_min: INTEGER | Lower bound of the employee count in the company record; NULL if it has none
  employees_max: INTEGER | Upper bound of the employee count in the company record; NULL if it has none
  fiscal_year: INTEGER | Latest fiscal year with a turnover; turnover, profit and employees are of this year
  turnover: DOUBLE | Turnover in turnover_currency
  turnover_currency: VARCHAR | Currency of turnover and profit; NULL for figures from v1, which states no currency
  turnover_eur: DOUBLE | Turnover in EUR; NULL without an exchange rate (setting fx), unless turnover_currency is EUR
  turnover_reporting: DOUBLE | Turnover in the reporting currency (fx.reporting); NULL without an exchange rate
  rate_date: DATE | Day of the exchange rate in turnover_eur
  turnover_growth: DOUBLE | Growth of turnover against the fiscal year before (0.1 is 10 %); NULL if that year has no turnover in the same currency
  previous_turnover: DOUBLE | Turnover of the fiscal year before, in turnover_currency; NULL if that year has none in the same currency
  profit: DOUBLE | Profit after tax in turnover_currency; NULL if not reported
  profit_eur: DOUBLE | Profit after tax in EUR; NULL as in turnover_eur
  profit_margin: DOUBLE | profit / turnover (0.1 is 10 %); NULL if turnover is not above 0
  employees: BIGINT | Employees in the report of that year; NULL if not reported
  figures_source: VARCHAR | API version of the figures (v2, or v1 if v2 has no value of that year)
  latest_event_at: TIMESTAMPTZ | When the latest watch event of the company happened; NULL if there is none
  latest_event_field: VARCHAR | Watched field of that event
*/
-- The nights that say who is in a market now: the latest complete night and all nights after it.
WITH nights AS (
  SELECT market, date, run
  FROM ops.nights
  QUALIFY date >= coalesce(max(CASE WHEN is_complete THEN date END) OVER (PARTITION BY market), min(date) OVER (PARTITION BY market))
),

-- Without MATERIALIZED, DuckDB may compute the members of all nights first.
runs AS MATERIALIZED (
  SELECT r.market, r.run_no FROM nights AS n JOIN base.market_runs AS r ON r.run = n.run AND r.market = n.market
),

inside AS (
  SELECT DISTINCT s.company_id
  FROM runs AS r
  JOIN base.market_stays AS s ON s.market = r.market AND s.from_no <= r.run_no AND s.to_no >= r.run_no
),

departed AS (
  SELECT company_id, max(date) AS left_on FROM core.market_moves WHERE kind = 'left' GROUP BY company_id
),

-- The lists of the histories need less time than the rows of core.company_codes.
classified AS (
  SELECT company_id,
    list_sort(list_transform(
      list_filter(codes, lambda c: c.scheme = 'industry_focus' AND c.value IS NOT NULL),
      lambda c: {'code_id': c.code_id, 'value': c.value}
    )) AS industries
  FROM core.companies_history
  WHERE is_current
),

events AS (
  SELECT company_id, max(occurred_at) AS latest_event_at, arg_max(field, (occurred_at, event_id)) AS latest_event_field
  FROM core.watch_events
  GROUP BY company_id
)

SELECT c.company_id, c.name, c.country_code, c.status, CASE WHEN c.has_details THEN c.observed_at END AS status_as_of,
  i.company_id IS NOT NULL AS in_market, CASE WHEN i.company_id IS NULL THEN d.left_on END AS left_on,
  c.founding_date, n.industries[1].code_id AS industry_code, n.industries[1].value AS industry,
  CASE WHEN len(n.industries) > 0 THEN list_transform(n.industries, lambda x: x.value) END AS industries,
  c.country_region AS region, c.address_city AS city, c.legal_form,
  c.employees_min, c.employees_max, f.fiscal_year, f.turnover, f.currency AS turnover_currency, f.turnover_eur, f.turnover_reporting,
  f.eur_rate_date AS rate_date, f.turnover_growth, f.previous_turnover, f.profit_after_tax AS profit,
  f.profit_after_tax_eur AS profit_eur, f.profit_margin, f.employees, f.source AS figures_source, e.latest_event_at, e.latest_event_field
FROM core.companies AS c
LEFT JOIN marts.company_years AS f ON f.company_id = c.company_id AND f.is_latest
LEFT JOIN inside AS i ON i.company_id = c.company_id
LEFT JOIN departed AS d ON d.company_id = c.company_id
LEFT JOIN classified AS n ON n.company_id = c.company_id
LEFT JOIN events AS e ON e.company_id = c.company_id
