/*
model: ops.freshness
kind: table
version: 1
grain: day of the last answer, by market and stream
key: [market, stream, answered_on, gone]
nullable: [answered_on]
description: >-
  Age of the data about each market's current members: the number of companies by the UTC day of the API's last answer. A
  company whose record is gone (404) counts only in the stream companies, because runs fetch none of its other records. One
  stream differs: employee_details counts people, also those of a gone company, because runs still fetch their details.
columns:
  market: VARCHAR | Market
  stream: VARCHAR | companies, financials or, if they are crawled, financials_v1, companies_v1, executives, employees, employee_details and ownership
  answered_on: DATE | UTC day of the last answer; NULL if there was none
  gone: BOOLEAN | True if the last answer in this stream was 404 (not found)
  companies: BIGINT | Number of members of the market's current night; for employee_details, number of people in the latest listings of these members
*/
-- Without MATERIALIZED, DuckDB may compute the members of all nights first.
WITH runs AS MATERIALIZED (
  SELECT n.market, r.run_no
  FROM (SELECT market, arg_max(run, date) AS run FROM ops.nights GROUP BY market) AS n
  JOIN base.market_runs AS r ON r.run = n.run AND r.market = n.market
),

members AS (
  SELECT r.market, s.company_id
  FROM runs AS r
  JOIN base.market_stays AS s ON s.market = r.market AND s.from_no <= r.run_no AND s.to_no >= r.run_no
),

streams AS (
  SELECT 'companies' AS stream
  UNION ALL
  SELECT 'financials'
  UNION ALL
  SELECT DISTINCT stream FROM ledger.answers WHERE stream IN ('financials_v1', 'companies_v1', 'executives', 'employees', 'ownership')
)

SELECT
  m.market,
  s.stream,
  CAST(a.answered_at AT TIME ZONE 'UTC' AS DATE) AS answered_on,
  coalesce(a.gone, false) AS gone,
  count(*) AS companies
FROM members AS m
CROSS JOIN streams AS s
LEFT JOIN ledger.answers AS a ON a.stream = s.stream AND a.entity_id = CAST(m.company_id AS VARCHAR)
LEFT JOIN ledger.answers AS d ON d.stream = 'companies' AND d.entity_id = CAST(m.company_id AS VARCHAR)
WHERE s.stream = 'companies' OR NOT coalesce(d.gone, false)
GROUP BY ALL
UNION ALL
SELECT
  m.market,
  'employee_details',
  CAST(a.answered_at AT TIME ZONE 'UTC' AS DATE),
  coalesce(a.gone, false),
  count(DISTINCT e.employee_id)
FROM members AS m
JOIN core.employees AS e ON e.company_id = m.company_id AND e.is_listed
LEFT JOIN ledger.answers AS a ON a.stream = 'employee_details' AND a.entity_id = CAST(e.employee_id AS VARCHAR)
GROUP BY ALL
