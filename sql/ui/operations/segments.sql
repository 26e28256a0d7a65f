-- The searches of each market's latest run whose companies count, largest first. If a segment was split and companies are missing,
-- its row has only the missing ones.
WITH latest AS (
  SELECT market, arg_max(run_id, started_at) AS run FROM ops.runs WHERE run_id IN (SELECT run FROM ops.segments) GROUP BY market
),

parts AS (
  SELECT l.market, s.segment, s.filters, s.state,
    CASE WHEN s.state = 'remainder' THEN greatest(0, s.total_reported - s.distinct_companies - coalesce(s.carried, 0))
      ELSE s.total_reported END AS total_reported,
    CASE WHEN s.state = 'remainder' THEN 0 ELSE s.distinct_companies END AS distinct_companies,
    CASE WHEN s.state = 'remainder' THEN 0 ELSE coalesce(s.carried, 0) END AS carried
  FROM ops.segments AS s
  JOIN latest AS l USING (run)
  WHERE s.state NOT IN ('split', 'calibration')
)

SELECT * FROM parts
QUALIFY row_number() OVER (PARTITION BY market ORDER BY total_reported DESC NULLS LAST, segment) <= 500
ORDER BY market, total_reported DESC NULLS LAST, segment
