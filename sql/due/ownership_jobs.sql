-- Due: companies whose latest answer about owners is not conclusive, for any threshold. Skips companies for which a job
-- started within `refresh_seconds`, and companies that are gone. If the plan names a market, only companies whose
-- owners were read for this market.
WITH latest AS (
  SELECT company_id, threshold, arg_max(record_hash, (observed_at, record_hash)) AS record_hash,
    arg_max(market, (observed_at, record_hash)) AS market
  FROM ledger.owner_answers
  GROUP BY ALL
),

jobs AS (
  SELECT company_id, max(observed_at) FILTER (state IN ('started', 'nojob', 'unknown')) AS asked_at
  FROM ledger.owner_jobs
  GROUP BY company_id
),

open AS (
  SELECT l.company_id, bool_or(NOT r.conclusive) AS is_open
  FROM latest AS l
  JOIN ledger.owner_records AS r USING (company_id, threshold, record_hash)
  CROSS JOIN plan AS p
  WHERE p.market IS NULL OR l.market = p.market
  GROUP BY l.company_id
)

SELECT
  CAST(o.company_id AS VARCHAR) AS entity_id,
  CASE
    WHEN j.asked_at IS NULL THEN 'unfetched'
    WHEN j.asked_at <= p.now - to_seconds(p.refresh_seconds) THEN 'stale'
  END AS reason,
  j.asked_at AS answered_at,
  o.company_id
FROM open AS o
CROSS JOIN plan AS p
LEFT JOIN jobs AS j USING (company_id)
ANTI JOIN (SELECT entity_id FROM ledger.answers WHERE stream = 'ownership' AND gone) AS d
  ON d.entity_id = CAST(o.company_id AS VARCHAR)
WHERE o.is_open
