/*
model: ops.people_coverage
kind: table
needs: [ledger.people_listings]
version: 1
grain: company whose search for employees was read to its end
key: [company_id]
description: >-
  How many employees the API reports for each company, and how many the latest search found. A search shows ten pages
  at most, so the search of a large company is split by seniority and department. It may not find people who have
  neither. ops.rejects names the searches that showed too few people (stream employees, reason http_error).
columns:
  company_id: BIGINT | Id of the company
  run: VARCHAR | Run of the latest search
  searched_at: TIMESTAMPTZ | When that search ended
  reported: BIGINT | Employees that the API reported last in the latest search; NULL if the company is gone
  found: BIGINT | Distinct employees that the search found
  missing: BIGINT | Reported employees that the search did not find; never below 0
  with_details: BIGINT | Found employees whose details were read at least once
  gone: BIGINT | Found employees whose details were gone (404) when last asked
*/
WITH latest AS (
  SELECT company_id, arg_max(run, (observed_at, run)) AS run, max(observed_at) AS searched_at
  FROM ledger.people_listings
  WHERE stream = 'employees' AND is_last
  GROUP BY company_id
),

totals AS (
  SELECT company_id, run, arg_max(reported, (observed_at, reported)) AS reported
  FROM ledger.people_listings
  WHERE stream = 'employees' AND reported IS NOT NULL
  GROUP BY ALL
),

people AS (
  SELECT DISTINCT company_id, run, person_id FROM ledger.people_listed WHERE stream = 'employees'
)

SELECT
  l.company_id,
  l.run,
  l.searched_at,
  t.reported,
  count(p.person_id) AS found,
  greatest(coalesce(t.reported, 0) - count(p.person_id), 0) AS missing,
  count(p.person_id) FILTER (a.read_at IS NOT NULL) AS with_details,
  count(p.person_id) FILTER (a.gone) AS gone
FROM latest AS l
LEFT JOIN totals AS t ON t.company_id = l.company_id AND t.run = l.run
LEFT JOIN people AS p ON p.company_id = l.company_id AND p.run = l.run
LEFT JOIN ledger.answers AS a ON a.stream = 'employee_details' AND a.entity_id = CAST(p.person_id AS VARCHAR)
GROUP BY l.company_id, l.run, l.searched_at, t.reported
