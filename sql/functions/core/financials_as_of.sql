/*
function: core.financials_as_of
returns: TABLE
parameters:
  moment: a day (meaning its end, in UTC) or an instant; see core.as_of_instant
description: >-
  Financial values as they were known at a moment, without later reports and restatements. Columns are those of
  core.financials, but valid_from (when the value was first observed) replaces observed_at. The extra v1 columns are left out.
*/
WITH known AS NOT MATERIALIZED (
  SELECT company_id, fiscal_year, indicator, value_double, value_text, source, report_date, valid_from
  FROM core.financials_history
  WHERE valid_from <= core.as_of_instant(moment) AND (valid_to IS NULL OR valid_to > core.as_of_instant(moment))
),

-- If v1 has two reports for a year, use the later one.
latest AS NOT MATERIALIZED (
  SELECT * FROM known WHERE source = 'v2'
  UNION ALL
  SELECT * FROM known WHERE source = 'v1' QUALIFY report_date = max(report_date) OVER (PARTITION BY company_id, fiscal_year)
),

reports AS NOT MATERIALIZED (
  SELECT company_id, fiscal_year, source,
    max(value_text) FILTER (indicator = 'Currency') AS currency,
    -- This is the rule of iso_date, which core.financials uses.
    max(CASE
      WHEN regexp_matches(value_text, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$') AND NOT starts_with(value_text, '0000')
      THEN TRY_CAST(left(value_text, 10) AS DATE)
    END) FILTER (indicator = 'Reported-Date') AS reported_date
  FROM latest
  WHERE indicator IN ('Currency', 'Reported-Date')
  GROUP BY ALL
)

SELECT l.company_id, l.fiscal_year, l.indicator, l.value_double, l.value_text, r.currency,
  coalesce(l.report_date, r.reported_date) AS reported_date, l.source, l.valid_from
FROM latest AS l
LEFT JOIN reports AS r USING (company_id, fiscal_year, source)
