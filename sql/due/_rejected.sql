-- Due: entities with open rejects in the plan's stream. If the plan names a market, only entities of the market's
-- companies.
SELECT DISTINCT
  r.entity_id,
  'failed' AS reason,
  CAST(NULL AS TIMESTAMPTZ) AS answered_at,
  e.company_id
FROM ops.rejects AS r
JOIN plan AS p ON r.stream = p.stream
LEFT JOIN (
  SELECT person_id, max(company_id) AS company_id FROM ledger.people_listed WHERE stream = 'employees' GROUP BY person_id
) AS l ON r.stream = 'employee_details' AND l.person_id = TRY_CAST(r.entity_id AS BIGINT)
CROSS JOIN LATERAL (
  SELECT CASE r.stream WHEN 'employee_details' THEN l.company_id ELSE TRY_CAST(r.entity_id AS BIGINT) END AS company_id
) AS e
WHERE r.resolved_at IS NULL
  AND (
    p.market IS NULL
    OR e.company_id IN (SELECT company_id FROM marts.market_members WHERE market = p.market)
  )
