/*
model: base.report_years
kind: incremental
version: 1
grain: fiscal year of a company, by source; of v1, report date of a company
key: [company_id, fiscal_year, source, report_date]
nullable: [report_date]
description: >-
  The rows of core.report_years, with the content of each year in base.year_values. A replay may give other ids of contents. Not
  promised.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  source: VARCHAR | API version that sent the report (v2 or v1)
  report_date: DATE | Date of the v1 report; NULL for v2
  content_id: UINTEGER | Content of the year in base.year_values; NULL if the year had several contents (base.restated_values)
  valid_from: TIMESTAMPTZ | When the content was first observed; NULL if the year had several contents
  valid_to: TIMESTAMPTZ | When a later report first lacked the year; NULL while it has the year, and if the year had several contents
  is_current: BOOLEAN | True if a value of the year is current
  is_latest: BOOLEAN | True if core.financials has the current values of this report
  currency: VARCHAR | Currency that the report states; NULL if it states none (v1 never does) or has no current value
  reported_date: DATE | Date that the report states; NULL if it states none
  observed_at: TIMESTAMPTZ | When a report with this year was last read
audits:
  - name: content_has_one_year
    severity: error
    sql: >-
      SELECT content_id FROM base.report_years SEMI JOIN changed USING (company_id) WHERE content_id IS NOT NULL
      GROUP BY content_id HAVING count(*) > 1
  - name: currency_without_code
    severity: warn
    sql: SELECT DISTINCT company_id, fiscal_year FROM base.report_years SEMI JOIN changed USING (company_id) WHERE is_latest AND NOT regexp_full_match(currency, '[A-Z]{3}')
  - name: reported_date_not_parsed
    severity: warn
    sql: >-
      SELECT y.company_id, y.fiscal_year, y.source, c.reported AS example
      FROM base.report_years AS y SEMI JOIN changed USING (company_id) JOIN ledger.year_contents AS c USING (content_id)
      WHERE y.is_latest AND iso_date(c.reported) IS NULL AND c.reported IS NOT NULL
      UNION ALL
      SELECT y.company_id, y.fiscal_year, y.source, r.value_text
      FROM base.report_years AS y
      SEMI JOIN changed USING (company_id)
      JOIN base.restated_values AS r ON r.company_id = y.company_id AND r.fiscal_year = y.fiscal_year AND r.source = y.source
        AND r.report_date IS NOT DISTINCT FROM y.report_date
      WHERE y.is_latest AND r.valid_to IS NULL AND iso_date(r.value_text) IS NULL
        AND r.ind = (SELECT id FROM base.indicator_ids WHERE indicator = 'Reported-Date')
*/
WITH years AS (
  SELECT company_id, source, fiscal_year, report_date, min(content_id) AS content_id,
    min(content_id) = max(content_id)
      AND NOT coalesce(bool_or(content_id IS NULL AND observed_at BETWEEN first_at AND last_at), false) AS has_one_content,
    min(first_at) AS first_at,
    min(observed_at) FILTER (content_id IS NULL AND observed_at > last_at) AS gone_at
  FROM (
    SELECT *, min(observed_at) FILTER (content_id IS NOT NULL) OVER by_year AS first_at,
      max(observed_at) FILTER (content_id IS NOT NULL) OVER by_year AS last_at
    FROM ledger.report_states('changed', 1)
    WINDOW by_year AS (PARTITION BY company_id, source, fiscal_year, report_date)
  )
  GROUP BY ALL
  HAVING count(content_id) > 0
),

-- Years with a current value, with the texts of the indicators Currency and Reported-Date.
current_years AS (
  SELECT y.company_id, y.source, y.fiscal_year, y.report_date, c.currency, c.reported
  FROM years AS y
  JOIN ledger.year_contents AS c USING (content_id)
  WHERE y.has_one_content AND y.gone_at IS NULL AND c.has_values
  UNION ALL
  SELECT company_id, source, fiscal_year, report_date,
    any_value(value_text) FILTER (ind = (SELECT id FROM base.indicator_ids WHERE indicator = 'Currency')),
    any_value(value_text) FILTER (ind = (SELECT id FROM base.indicator_ids WHERE indicator = 'Reported-Date'))
  FROM base.restated_values
  SEMI JOIN changed USING (company_id)
  WHERE valid_to IS NULL
  GROUP BY ALL
),

reads AS (
  SELECT company_id, CASE stream WHEN 'financials' THEN 'v2' ELSE 'v1' END AS source, scope_year, max(observed_at) AS read_at
  FROM ledger.observations
  SEMI JOIN changed USING (company_id)
  WHERE stream IN ('financials', 'financials_v1') AND readable
  GROUP BY ALL
)

SELECT y.company_id, CAST(y.fiscal_year AS INTEGER) AS fiscal_year, y.source, y.report_date,
  CASE WHEN y.has_one_content THEN y.content_id END AS content_id,
  CASE WHEN y.has_one_content THEN y.first_at END AS valid_from,
  CASE WHEN y.has_one_content THEN y.gone_at END AS valid_to,
  c.company_id IS NOT NULL AS is_current,
  -- v1 may have several reports of a year. Use the latest one.
  c.company_id IS NOT NULL AND (
    y.source = 'v2'
    OR y.report_date = max(y.report_date) FILTER (c.company_id IS NOT NULL) OVER (PARTITION BY y.company_id, y.source, y.fiscal_year)
  ) AS is_latest,
  c.currency, coalesce(y.report_date, iso_date(c.reported)) AS reported_date,
  greatest(whole.read_at, single.read_at) AS observed_at
FROM years AS y
LEFT JOIN current_years AS c
  ON c.company_id = y.company_id AND c.source = y.source AND c.fiscal_year = y.fiscal_year
  AND c.report_date IS NOT DISTINCT FROM y.report_date
LEFT JOIN reads AS whole ON whole.company_id = y.company_id AND whole.source = y.source AND whole.scope_year IS NULL
LEFT JOIN reads AS single
  ON single.company_id = y.company_id AND single.source = y.source AND single.scope_year = y.fiscal_year
