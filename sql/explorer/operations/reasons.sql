-- The twelve largest gaps of each search, for the latest 90 searches of each market. If one search alone misses the companies
-- of a gap, and no search below it selects a company, the columns `stuck_…` describe this search.
WITH latest AS (
  SELECT c.market, c.run, c.why
  FROM ops.coverage AS c
  JOIN ops.runs AS r ON r.run_id = c.run
  QUALIFY row_number() OVER (PARTITION BY c.market ORDER BY r.started_at DESC, r.run_id DESC) <= 90
),

listed AS (
  SELECT market, run, unnest(TRY_CAST(why AS JSON[])) AS gap FROM latest
),

gaps AS (
  SELECT market, run, coalesce(gap ->> '$.segment', '') AS segment, left(coalesce(gap ->> '$.filters', '{}'), 20000) AS filters,
    coalesce(TRY_CAST(gap ->> '$.missing' AS BIGINT), 0) AS missing, coalesce(gap ->> '$.class', '') AS class,
    coalesce(gap ->> '$.reason', '') AS reason
  FROM listed
  QUALIFY row_number() OVER (PARTITION BY market, run ORDER BY missing DESC, segment) <= 12
),

searches AS (
  SELECT * FROM ops.segments WHERE run IN (SELECT run FROM gaps)
),

used AS (
  SELECT run, list(DISTINCT property ORDER BY property) AS properties
  FROM (SELECT run, unnest(json_keys(filters)) AS property FROM searches)
  GROUP BY run
),

below AS (
  SELECT run, parent AS segment, sum(total_reported) AS companies FROM searches WHERE state <> 'calibration' GROUP BY ALL
),

stuck AS (
  SELECT g.run, g.segment, s.filters, s.split_by, s.total_reported, s.distinct_companies, u.properties,
    json_keys(root.filters) AS fixed
  FROM gaps AS g
  JOIN searches AS s ON s.run = g.run AND (s.segment = g.segment OR starts_with(s.segment, g.segment || '/'))
  JOIN searches AS root ON root.run = g.run AND root.parent IS NULL
  JOIN used AS u ON u.run = g.run
  LEFT JOIN below AS b ON b.run = s.run AND b.segment = s.segment
  WHERE s.state IN ('truncated', 'remainder') AND s.pages > 1 AND g.missing > 0
    AND s.total_reported - s.distinct_companies = g.missing AND coalesce(b.companies, 0) = 0
  QUALIFY count(*) OVER (PARTITION BY g.run, g.segment) = 1
)

SELECT g.market, g.run, g.filters, g.missing, g.class, g.reason,
  left(CAST(s.filters AS VARCHAR), 20000) AS stuck_filters, s.split_by AS stuck_split_by, s.total_reported AS stuck_total,
  s.distinct_companies AS stuck_shown, s.fixed AS stuck_fixed, s.properties AS stuck_properties
FROM gaps AS g
LEFT JOIN stuck AS s ON s.run = g.run AND s.segment = g.segment
ORDER BY g.market, g.run DESC, g.missing DESC, g.segment
