-- Companies a run knows of: those its own searches sighted, or for work that is addressed by date those of the market's
-- latest membership (without a market all that were ever seen).
CREATE OR REPLACE TEMP TABLE known_companies AS
WITH standing AS (
  SELECT r.run
  FROM ledger.run_records AS r
  JOIN plan AS p ON p.market = (r.body ->> '$.market')
  WHERE r.stream = 'runs'
    AND (r.body ->> '$.as_of_now') = 'true'
    AND (r.body ->> '$.finished_at') IS NOT NULL
    AND (r.body ->> '$.outcome') IN ('complete', 'partial')
    AND r.run IN (SELECT run FROM ledger.observations WHERE stream = 'prospecting' AND readable)
  ORDER BY (r.body ->> '$.date') DESC, TRY_CAST(r.body ->> '$.finished_at' AS TIMESTAMPTZ) DESC, r.run DESC
  LIMIT 1
)

SELECT company_id FROM ledger.market_sightings WHERE run = (SELECT run FROM plan WHERE known = 'sighted')
UNION
SELECT company_id FROM ledger.market_sightings
WHERE run = (SELECT run FROM standing) AND (SELECT known FROM plan) = 'members'
UNION
SELECT company_id FROM ledger.company_seen WHERE (SELECT known = 'members' AND market IS NULL FROM plan);
