/*
model: core.indicators
kind: table
version: 1
grain: indicator
key: [indicator]
description: Every financial indicator of the reference, and every other one that came.
columns:
  indicator: VARCHAR | Name, as the API writes it
  kind: VARCHAR | double, integer or string; for one that is not in the reference, what its values are
  in_reference: BOOLEAN | False for an indicator that came but that the reference does not list
  companies: BIGINT | Companies that have a value of it
  first_year: INTEGER | Earliest fiscal year with a value
  last_year: INTEGER | Latest fiscal year with a value
*/
WITH found AS (
  SELECT indicator, count(DISTINCT company_id) AS companies, min(fiscal_year) AS first_year, max(fiscal_year) AS last_year,
    CASE WHEN bool_and(value_double IS NOT NULL) THEN 'double' ELSE 'string' END AS kind
  FROM core.financials
  GROUP BY indicator
)

SELECT indicator, coalesce(r.kind, f.kind) AS kind, r.indicator IS NOT NULL AS in_reference,
  coalesce(f.companies, 0) AS companies, f.first_year, f.last_year
FROM seed_indicators AS r
FULL JOIN found AS f USING (indicator)
