/*
model: core.indicators
kind: table
version: 1
grain: indicator
key: [indicator]
description: Every financial indicator that the API reference lists or that a report contained.
columns:
  indicator: VARCHAR | Name of the indicator, as the API writes it
  kind: VARCHAR | double, integer or string; taken from the values if the reference does not list the indicator
  in_reference: BOOLEAN | False if reports contain the indicator but the API reference does not list it
  companies: BIGINT | Number of companies that have a value of the indicator
  first_year: INTEGER | Earliest fiscal year with a value; NULL if no company has one
  last_year: INTEGER | Latest fiscal year with a value; NULL if no company has one
*/
WITH years AS (
  SELECT indicator, min(fiscal_year) AS first_year, max(fiscal_year) AS last_year,
    CASE WHEN bool_and(value_double IS NOT NULL) THEN 'double' ELSE 'string' END AS kind
  FROM core.financials
  GROUP BY indicator
),

-- If memory is short, DISTINCT uses temporary files, and count(DISTINCT company_id) fails.
companies AS (
  SELECT indicator, count(*) AS companies FROM (SELECT DISTINCT indicator, company_id FROM core.financials) GROUP BY indicator
),

found AS (
  SELECT * FROM years JOIN companies USING (indicator)
)

SELECT indicator, coalesce(r.kind, f.kind) AS kind, r.indicator IS NOT NULL AS in_reference,
  coalesce(f.companies, 0) AS companies, f.first_year, f.last_year
FROM seed_indicators AS r
FULL JOIN found AS f USING (indicator)
