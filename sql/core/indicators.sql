/*
model: core.indicators
kind: view
version: 1
grain: indicator
key: [indicator]
check_key: false
description: Every financial indicator that the API reference lists or that a report contained.
columns:
  indicator: VARCHAR | Name of the indicator, as the API writes it
  kind: VARCHAR | double, integer or string; taken from the values if the reference does not list the indicator
  in_reference: BOOLEAN | False if reports contain the indicator but the API reference does not list it
  companies: BIGINT | Number of companies that have a value of the indicator
  first_year: INTEGER | Earliest fiscal year with a value; NULL if no company has one
  last_year: INTEGER | Latest fiscal year with a value; NULL if no company has one
*/
WITH current_values AS (
  SELECT v.company_id, y.fiscal_year, v.ind, v.value_double
  FROM base.year_values AS v
  JOIN base.report_years AS y ON y.content_id = v.content_id AND y.company_id = v.company_id
  WHERE y.is_latest
  UNION ALL
  SELECT r.company_id, r.fiscal_year, r.ind, r.value_double
  FROM base.restated_values AS r
  JOIN base.report_years AS y
    ON y.company_id = r.company_id AND y.fiscal_year = r.fiscal_year AND y.source = r.source
    AND y.report_date IS NOT DISTINCT FROM r.report_date
  WHERE r.valid_to IS NULL AND y.is_latest
),

-- If memory is short, DISTINCT uses temporary files, and count(DISTINCT company_id) fails.
by_company AS (
  SELECT ind, company_id, min(fiscal_year) AS first_year, max(fiscal_year) AS last_year,
    bool_and(value_double IS NOT NULL) AS is_number
  FROM current_values
  GROUP BY ind, company_id
),

found AS (
  SELECT ind, count(*) AS companies, min(first_year) AS first_year, max(last_year) AS last_year,
    CASE WHEN bool_and(is_number) THEN 'double' ELSE 'string' END AS kind
  FROM by_company
  GROUP BY ind
)

SELECT i.indicator, coalesce(i.kind, f.kind) AS kind, i.kind IS NOT NULL AS in_reference,
  coalesce(f.companies, 0) AS companies, f.first_year, f.last_year
FROM base.indicator_ids AS i
LEFT JOIN found AS f ON f.ind = i.id
WHERE i.kind IS NOT NULL OR f.ind IS NOT NULL
