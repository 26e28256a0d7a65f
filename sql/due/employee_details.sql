-- Due: employees in the latest listings of the known companies whose details were never answered, failed last time, or
-- are stale. After an event about an employee, all employees of the company are due. A 404 is an answer, too.
WITH latest AS (
  SELECT company_id, arg_max(run, (observed_at, run)) AS run
  FROM ledger.people_listings
  WHERE stream = 'employees' AND is_last AND company_id IN (SELECT company_id FROM known_companies)
  GROUP BY company_id
),

people AS (
  SELECT l.person_id, min(l.company_id) AS company_id
  FROM ledger.people_listed AS l
  JOIN latest AS t ON t.company_id = l.company_id AND t.run = l.run
  WHERE l.stream = 'employees'
  GROUP BY l.person_id
),

first_listed AS (
  SELECT person_id, arg_min(run, (observed_at, run)) AS run
  FROM ledger.people_listed
  WHERE stream = 'employees'
  GROUP BY person_id
),

asked AS (
  SELECT entity_id, max(observed_at) AS asked_at
  FROM ledger.observations
  WHERE stream = 'employee_details'
  GROUP BY entity_id
),

events AS (
  SELECT company_id, max(occurred_at) AS occurred_at
  FROM ledger.received_events
  WHERE occurred_at <= (SELECT now FROM plan) AND starts_with(watch_field(field), 'employee.')
  GROUP BY company_id
)

SELECT
  CAST(p.person_id AS VARCHAR) AS entity_id,
  CASE
    WHEN q.asked_at IS NULL AND f.run = n.run THEN 'new'
    WHEN q.asked_at IS NULL THEN 'unfetched'
    WHEN e.occurred_at > a.answered_at THEN 'event'
    WHEN a.answered_at IS NULL OR q.asked_at > a.answered_at THEN 'failed'
    WHEN n.refresh_seconds = 0
      OR a.answered_at <= n.now - to_seconds(n.refresh_seconds)
      -- An answer dated more than a day in the future comes from a wrong clock. Its age is unknown, so it counts as
      -- stale.
      OR a.answered_at > n.now + INTERVAL 1 DAY
    THEN 'stale'
  END AS reason,
  a.answered_at,
  p.company_id
FROM people AS p
CROSS JOIN plan AS n
JOIN first_listed AS f ON f.person_id = p.person_id
LEFT JOIN asked AS q ON q.entity_id = CAST(p.person_id AS VARCHAR)
LEFT JOIN ledger.answers AS a ON a.stream = 'employee_details' AND a.entity_id = CAST(p.person_id AS VARCHAR)
LEFT JOIN events AS e ON e.company_id = p.company_id
