/*
model: marts.market_moves
kind: table
version: 1
grain: company that entered or left a market on a night
key: [market, date, company_id]
description: >-
  Companies that entered or left a market, with the reason as far as Tidemark knows it, and the latest known figures. A company entered
  if a night found it, but neither the latest complete night before nor any night in between. A company left if a complete night did not
  find it, but the complete night before or any night in between did. The next complete night lists what an incomplete night leaves open.
columns:
  market: VARCHAR | Market
  date: DATE | Night on which the company was first found in the market, or the first complete night that did not find it
  company_id: BIGINT | Id of the company
  kind: VARCHAR | Direction (entered or left)
  reason: VARCHAR | Why it entered, returned (it had left this market before) or new; why it left, inactive (its status is no longer Active), gone (the API no longer has its record), moved (a field that filters can use changed since last_found_on) or unknown
  changed_fields: VARCHAR[] | If reason is moved, the changed fields of the company record; otherwise NULL
  name: VARCHAR | Latest known name
  country_code: VARCHAR | Country code, ISO 3166-1 alpha-2
  status: VARCHAR | Latest known status; for a company that left, from its record or a newer watch event
  industry: VARCHAR | Industry, as in marts.companies
  region: VARCHAR | Region within the country
  legal_form: VARCHAR | Legal form, as the API writes it
  employees_min: INTEGER | Lower bound of the employee count in the company record; NULL if it has none
  employees_max: INTEGER | Upper bound of the employee count in the company record; NULL if it has none
  fiscal_year: INTEGER | Latest fiscal year with a turnover; the figures are of this year
  turnover: DOUBLE | Turnover in turnover_currency
  turnover_currency: VARCHAR | Currency of turnover and profit, ISO 4217
  turnover_eur: DOUBLE | Turnover in EUR; NULL without an exchange rate
  turnover_reporting: DOUBLE | Turnover in the reporting currency (fx.reporting); NULL without an exchange rate
  profit: DOUBLE | Profit after tax in turnover_currency; NULL if not reported
  employees: BIGINT | Employees in the report of that year; NULL if not reported
  last_found_on: DATE | If kind is left, the latest night before on which a search found the company; otherwise NULL
  as_of: TIMESTAMPTZ | End of the crawl of the night in column date
*/
WITH moves AS (
  SELECT *,
    lag(kind) OVER of_company AS kind_before,
    -- What becomes known after the company returned explains nothing about this move.
    coalesce(lead(as_of) OVER of_company, TIMESTAMPTZ '9999-12-31 00:00:00+00') AS until
  FROM core.market_moves
  WINDOW of_company AS (PARTITION BY market, company_id ORDER BY date)
),

departed AS (
  SELECT DISTINCT company_id FROM moves WHERE kind = 'left'
),

versions AS (
  SELECT * FROM core.companies_history SEMI JOIN departed USING (company_id)
),

-- Every status that a record or an event stated.
statuses AS (
  SELECT company_id, valid_from AS since, status FROM versions WHERE status IS NOT NULL
  UNION ALL
  SELECT company_id, occurred_at, new_value
  FROM marts.watch_changes
  SEMI JOIN departed USING (company_id)
  WHERE field = 'company.status' AND new_value IS NOT NULL
),

status_known AS (
  SELECT company_id, since, max(status) AS status,
    bool_or(bool_or(lower(status) = 'active')) OVER (PARTITION BY company_id ORDER BY since) AS was_active
  FROM statuses
  GROUP BY company_id, since
),

-- Differences between versions in fields that filters of a market can use.
differences AS (
  SELECT n.company_id, n.valid_from AS since, unnest([
      CASE WHEN n.country_code IS DISTINCT FROM o.country_code THEN 'country_code' END,
      CASE WHEN n.country_region IS DISTINCT FROM o.country_region THEN 'country_region' END,
      CASE WHEN n.address_city IS DISTINCT FROM o.address_city THEN 'address_city' END,
      CASE WHEN n.zip_code IS DISTINCT FROM o.zip_code THEN 'zip_code' END,
      CASE WHEN n.legal_form IS DISTINCT FROM o.legal_form THEN 'legal_form' END,
      CASE WHEN n.size_text IS DISTINCT FROM o.size_text THEN 'size_text' END,
      CASE WHEN n.founding_date IS DISTINCT FROM o.founding_date THEN 'founding_date' END,
      CASE WHEN n.codes IS DISTINCT FROM o.codes THEN 'codes' END
    ]) AS field
  FROM versions AS n
  JOIN versions AS o ON o.company_id = n.company_id AND o.version = n.version - 1
),

changed_fields AS (
  SELECT m.market, m.date, m.company_id, list_sort(list(DISTINCT d.field)) AS fields
  FROM moves AS m
  JOIN differences AS d ON d.company_id = m.company_id AND d.since < m.until AND d.since >= m.last_found_on
  WHERE m.kind = 'left' AND d.field IS NOT NULL
  GROUP BY ALL
),

gone AS (
  SELECT TRY_CAST(entity_id AS BIGINT) AS company_id, answered_at FROM ledger.answers WHERE stream = 'companies' AND gone
),

judged AS (
  SELECT m.*, s.status AS told_status, f.fields,
    CASE
      WHEN m.kind = 'entered' AND m.kind_before = 'left' THEN 'returned'
      WHEN m.kind = 'entered' THEN 'new'
      WHEN s.was_active AND lower(s.status) <> 'active' THEN 'inactive'
      WHEN g.answered_at >= m.last_found_on AND g.answered_at < m.until THEN 'gone'
      WHEN f.fields IS NOT NULL THEN 'moved'
      ELSE 'unknown'
    END AS reason
  FROM moves AS m
  ASOF LEFT JOIN status_known AS s ON s.company_id = m.company_id AND m.until > s.since
  LEFT JOIN changed_fields AS f ON f.market = m.market AND f.date = m.date AND f.company_id = m.company_id
  LEFT JOIN gone AS g ON g.company_id = m.company_id
)

SELECT j.market, j.date, j.company_id, j.kind, j.reason, CASE WHEN j.reason = 'moved' THEN j.fields END AS changed_fields,
  c.name, c.country_code, CASE WHEN j.kind = 'left' THEN coalesce(j.told_status, c.status) ELSE c.status END AS status,
  c.industry, c.region, c.legal_form, c.employees_min, c.employees_max, c.fiscal_year, c.turnover, c.turnover_currency,
  c.turnover_eur, c.turnover_reporting, c.profit, c.employees, j.last_found_on, j.as_of
FROM judged AS j
LEFT JOIN marts.companies AS c USING (company_id)
