-- The segments of each market's latest run, or of its latest run on $night, largest first. Searches without companies are left out. A split segment has no row if the segments below it have all of its
-- companies. Otherwise, its row counts only the companies that no segment below it has.
WITH latest AS (
  SELECT market, arg_max(run_id, started_at) AS run FROM ops.runs
  WHERE run_id IN (SELECT run FROM ops.segments) AND ($night IS NULL OR date = TRY_CAST($night AS DATE))
  GROUP BY market
),

counted AS (
  SELECT run, segment, parent, state, filters, total_reported, distinct_companies AS found,
    greatest(0, total_reported - distinct_companies) AS missing
  FROM ops.segments
  WHERE state <> 'calibration'
),

below AS (
  SELECT run, parent AS segment, sum(found) AS found, sum(missing) AS missing FROM counted GROUP BY ALL
),

own AS (
  SELECT c.run, c.segment, c.state, c.filters, c.total_reported,
    c.found - least(c.found, coalesce(b.found, 0)) AS found,
    c.missing - least(c.missing, coalesce(b.missing, 0)) AS missing
  FROM counted AS c
  LEFT JOIN below AS b ON b.run = c.run AND b.segment = c.segment AND c.state = 'remainder'
  WHERE c.state <> 'split'
)

SELECT l.market, o.segment, o.filters, o.state,
  CASE WHEN o.state = 'remainder' THEN o.found + o.missing ELSE o.total_reported END AS total_reported,
  o.found AS distinct_companies
FROM own AS o
JOIN latest AS l USING (run)
WHERE o.total_reported > 0 AND (o.state <> 'remainder' OR o.found + o.missing > 0)
QUALIFY row_number() OVER (PARTITION BY l.market ORDER BY total_reported DESC NULLS LAST, o.segment) <= 500
ORDER BY l.market, total_reported DESC NULLS LAST, o.segment
