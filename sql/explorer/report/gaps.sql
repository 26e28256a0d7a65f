-- The twelve largest gaps of each market's latest search.
WITH latest AS (
  SELECT c.market, c.why
  FROM ops.coverage AS c
  JOIN ops.runs AS r ON r.run_id = c.run
  QUALIFY row_number() OVER (PARTITION BY c.market ORDER BY r.started_at DESC, r.run_id DESC) = 1
),

gaps AS (
  SELECT market, unnest(TRY_CAST(why AS JSON[])) AS gap FROM latest
)

SELECT market, coalesce(gap ->> '$.segment', '') AS segment, left(coalesce(gap ->> '$.filters', '{}'), 20000) AS filters,
  coalesce(TRY_CAST(gap ->> '$.missing' AS BIGINT), 0) AS missing, coalesce(gap ->> '$.class', '') AS class,
  coalesce(gap ->> '$.reason', '') AS reason, count(*) OVER (PARTITION BY market) AS "of"
FROM gaps
QUALIFY row_number() OVER (PARTITION BY market ORDER BY missing DESC, segment) <= 12
ORDER BY market, missing DESC, segment
