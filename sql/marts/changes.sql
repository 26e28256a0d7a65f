/*
model: marts.changes
kind: incremental
version: 2
grain: change
key: [changed_at, kind, company_id, market, field, fiscal_year, event_id]
nullable: [market, field, fiscal_year, event_id]
description: >-
  Every change in one list, by kind. "changed" is a change of a field in a company record. "restated" is a change of a
  financial value; new_value is NULL if a later report no longer has the value. Restatements come from v2 of the API. For
  years without any v2 value, they come from the latest v1 report. "event" is a watch event. "entered" and "left" are
  changes of a market's members.
incremental:
  by: [company_id]
  changed: >-
    SELECT company_id FROM ledger.dirty_companies
    UNION SELECT company_id FROM ledger.dirty_reports
    UNION SELECT company_id FROM core.market_moves AS m
      JOIN ledger.dirty_nights AS d ON d.market = m.market AND m.date >= d.date
    UNION SELECT company_id FROM marts.changes AS c
      JOIN ledger.dirty_nights AS d ON d.market = c.market AND c.changed_at >= d.date - INTERVAL 2 DAY
  all: >-
    SELECT company_id FROM core.companies_history
    UNION SELECT company_id FROM base.report_years
    UNION SELECT company_id FROM core.watch_events
    UNION SELECT company_id FROM core.market_moves
columns:
  changed_at: TIMESTAMPTZ | When the change was observed; if kind is event, when the change happened
  kind: VARCHAR | Kind of change (changed, restated, event, entered or left)
  company_id: BIGINT | Id of the company
  market: VARCHAR | Market, if kind is entered or left; otherwise NULL
  field: VARCHAR | Changed field, indicator or watched field; NULL if kind is entered or left
  fiscal_year: INTEGER | Fiscal year, if kind is restated; otherwise NULL
  old_value: VARCHAR | Value before the change; NULL if there was none, or if kind is entered or left
  new_value: VARCHAR | Value after the change; NULL if there is none, or if kind is entered or left
  event_id: VARCHAR | Id of the event in core.watch_events, if kind is event; otherwise NULL
*/
-- Read only companies with a change, because the histories are large and most companies have no change.
WITH changed_companies AS (
  SELECT DISTINCT company_id FROM core.companies_history SEMI JOIN changed USING (company_id) WHERE version > 1
),

versions AS (
  SELECT * FROM core.companies_history SEMI JOIN changed_companies USING (company_id)
),

restated_companies AS (
  SELECT company_id FROM base.restated_values SEMI JOIN changed USING (company_id)
  UNION
  SELECT company_id FROM base.report_years SEMI JOIN changed USING (company_id) WHERE valid_to IS NOT NULL
),

-- All versions of their values. If no company has another version, DuckDB reads no values.
financials AS (
  SELECT y.company_id, y.fiscal_year, v.ind, y.source, y.report_date, y.valid_from, y.valid_to, 1 AS version, v.value_double,
    v.value_text, NULL AS previous_double, NULL AS previous_text
  FROM (SELECT * FROM base.report_years SEMI JOIN restated_companies USING (company_id)) AS y
  JOIN base.year_values AS v ON v.content_id = y.content_id AND v.company_id = y.company_id
  UNION ALL BY NAME
  SELECT * FROM base.restated_values SEMI JOIN restated_companies USING (company_id)
),

fields AS (
  SELECT n.valid_from AS changed_at, n.company_id, unnest([
      {'field': 'name', 'old_value': CAST(o.name AS VARCHAR), 'new_value': CAST(n.name AS VARCHAR)},
      {'field': 'country_code', 'old_value': CAST(o.country_code AS VARCHAR), 'new_value': CAST(n.country_code AS VARCHAR)},
      {'field': 'country_name', 'old_value': CAST(o.country_name AS VARCHAR), 'new_value': CAST(n.country_name AS VARCHAR)},
      {'field': 'registration_number', 'old_value': CAST(o.registration_number AS VARCHAR), 'new_value': CAST(n.registration_number AS VARCHAR)},
      {'field': 'vat_number', 'old_value': CAST(o.vat_number AS VARCHAR), 'new_value': CAST(n.vat_number AS VARCHAR)},
      {'field': 'status', 'old_value': CAST(o.status AS VARCHAR), 'new_value': CAST(n.status AS VARCHAR)},
      {'field': 'legal_form', 'old_value': CAST(o.legal_form AS VARCHAR), 'new_value': CAST(n.legal_form AS VARCHAR)},
      {'field': 'website', 'old_value': CAST(o.website AS VARCHAR), 'new_value': CAST(n.website AS VARCHAR)},
      {'field': 'phones', 'old_value': array_to_string(list_sort(o.phones), ', '), 'new_value': array_to_string(list_sort(n.phones), ', ')},
      {'field': 'emails', 'old_value': array_to_string(list_sort(o.emails), ', '), 'new_value': array_to_string(list_sort(n.emails), ', ')},
      {'field': 'faxes', 'old_value': array_to_string(list_sort(o.faxes), ', '), 'new_value': array_to_string(list_sort(n.faxes), ', ')},
      {'field': 'brands', 'old_value': array_to_string(list_sort(o.brands), ', '), 'new_value': array_to_string(list_sort(n.brands), ', ')},
      {'field': 'address_street', 'old_value': CAST(o.address_street AS VARCHAR), 'new_value': CAST(n.address_street AS VARCHAR)},
      {'field': 'address_location', 'old_value': CAST(o.address_location AS VARCHAR), 'new_value': CAST(n.address_location AS VARCHAR)},
      {'field': 'address_city', 'old_value': CAST(o.address_city AS VARCHAR), 'new_value': CAST(n.address_city AS VARCHAR)},
      {'field': 'country_region', 'old_value': CAST(o.country_region AS VARCHAR), 'new_value': CAST(n.country_region AS VARCHAR)},
      {'field': 'zip_code', 'old_value': CAST(o.zip_code AS VARCHAR), 'new_value': CAST(n.zip_code AS VARCHAR)},
      {'field': 'size_text', 'old_value': CAST(o.size_text AS VARCHAR), 'new_value': CAST(n.size_text AS VARCHAR)},
      {'field': 'founding_date', 'old_value': CAST(o.founding_date AS VARCHAR), 'new_value': CAST(n.founding_date AS VARCHAR)},
      {'field': 'pronet', 'old_value': CAST(o.pronet AS VARCHAR), 'new_value': CAST(n.pronet AS VARCHAR)},
      {'field': 'microblog', 'old_value': CAST(o.microblog AS VARCHAR), 'new_value': CAST(n.microblog AS VARCHAR)},
      {'field': 'socialnet', 'old_value': CAST(o.socialnet AS VARCHAR), 'new_value': CAST(n.socialnet AS VARCHAR)},
      {'field': 'codes', 'old_value': CAST(o.codes AS VARCHAR), 'new_value': CAST(n.codes AS VARCHAR)}
    ], recursive := true)
  FROM versions AS n
  JOIN versions AS o ON o.company_id = n.company_id AND o.version = n.version - 1
  WHERE n.version > 1
),

-- No change may be listed twice. So use one source for each year, and one v1 report for each year.
told AS (
  SELECT * FROM financials WHERE source = 'v2'
  UNION ALL
  SELECT v.*
  FROM financials AS v
  ANTI JOIN (SELECT * FROM financials WHERE source = 'v2') AS better USING (company_id, fiscal_year)
  WHERE v.source = 'v1'
  QUALIFY v.report_date = max(v.report_date) OVER (PARTITION BY v.company_id, v.fiscal_year)
),

restated AS (
  SELECT valid_from AS changed_at, company_id, ind, fiscal_year,
    coalesce(CAST(previous_double AS VARCHAR), previous_text) AS old_value, coalesce(CAST(value_double AS VARCHAR), value_text) AS new_value
  FROM told
  WHERE version > 1
  UNION ALL
  SELECT o.valid_to, o.company_id, o.ind, o.fiscal_year, coalesce(CAST(o.value_double AS VARCHAR), o.value_text), NULL
  FROM told AS o
  ANTI JOIN (SELECT * FROM told WHERE version > 1) AS n
    ON n.company_id = o.company_id AND n.fiscal_year = o.fiscal_year AND n.ind = o.ind AND n.valid_from = o.valid_to
  WHERE o.valid_to IS NOT NULL
)

SELECT changed_at, 'changed' AS kind, company_id, CAST(NULL AS VARCHAR) AS market, field, CAST(NULL AS INTEGER) AS fiscal_year, old_value, new_value,
  CAST(NULL AS VARCHAR) AS event_id
FROM fields
WHERE nullif(old_value, '') IS DISTINCT FROM nullif(new_value, '')
UNION ALL
SELECT changed_at, 'restated', company_id, NULL, indicator, fiscal_year, old_value, new_value, NULL
FROM restated
JOIN base.indicator_ids AS i ON i.id = ind
UNION ALL
SELECT occurred_at, 'event', company_id, NULL, field, NULL, old_value, new_value, event_id FROM core.watch_events SEMI JOIN changed USING (company_id)
UNION ALL
SELECT as_of, kind, company_id, market, NULL, NULL, NULL, NULL, NULL FROM core.market_moves SEMI JOIN changed USING (company_id)
