-- Due: entities of the plan's stream with open rejects. If the plan names a market: only the market's companies.
SELECT DISTINCT
  r.entity_id,
  'failed' AS reason,
  CAST(NULL AS TIMESTAMPTZ) AS answered_at,
  TRY_CAST(r.entity_id AS BIGINT) AS company_id
FROM ops.rejects AS r
JOIN plan AS p ON r.stream = p.stream
WHERE r.resolved_at IS NULL
  AND (
    p.market IS NULL
    OR TRY_CAST(r.entity_id AS BIGINT) IN (SELECT company_id FROM marts.market_members WHERE market = p.market)
  )
