/*
model: ops.usage_daily
kind: table
version: 1
grain: UTC day on which a usage metric was read
key: [metric, date]
description: >-
  The API's own usage counters by UTC day, from the readings in ops.quota. If a counter is lower than at the reading
  before, it was reset in between. The reference does not say when the API resets counters. Readings less than a
  minute apart have no certain order, so a lower value between them is ignored.
columns:
  metric: VARCHAR | Code name of the metric
  date: DATE | UTC day of the readings
  used: BIGINT | Amount used, as last read on the day
  total: BIGINT | Amount allowed, as last read on the day; 0 means that the API gives no figure
  read_at: TIMESTAMPTZ | Last reading of the day
  readings: BIGINT | Readings of the day
  resets: BIGINT | Number of resets between the last reading before the day and the last reading of the day
  growth_since: TIMESTAMPTZ | Reading from which growth is counted (the last reading before the day, or else the first reading of the day)
  growth: BIGINT | Least amount used since growth_since, as the readings prove; they do not show use between a reading and a reset
  used_of_day: BIGINT | Equal to growth if the readings show a reset, as for a metric that is reset every day; NULL if they show none
*/
WITH compared AS (
  SELECT
    metric,
    used,
    total,
    read_at,
    CAST(read_at AT TIME ZONE 'UTC' AS DATE) AS date,
    lag(read_at) OVER by_metric AS before_at,
    coalesce(used < lag(used) OVER by_metric AND read_at - before_at >= INTERVAL 1 MINUTE, false) AS is_reset
  FROM ops.quota
  WHERE used IS NOT NULL AND read_at IS NOT NULL
  WINDOW by_metric AS (PARTITION BY metric ORDER BY read_at, used, run)
),

-- A stretch contains the readings between two resets.
stretches AS (
  SELECT *, sum(CAST(is_reset AS INTEGER)) OVER (PARTITION BY metric ORDER BY read_at, used ROWS UNBOUNDED PRECEDING) AS stretch
  FROM compared
),

highs AS (
  SELECT *, max(used) OVER (PARTITION BY metric, stretch ORDER BY read_at, used ROWS UNBOUNDED PRECEDING) AS high
  FROM stretches
),

grown AS (
  SELECT
    *,
    CASE WHEN is_reset THEN used ELSE coalesce(high - lag(high) OVER (PARTITION BY metric, stretch ORDER BY read_at, used), 0) END AS growth
  FROM highs
)

SELECT
  metric,
  date,
  arg_max(used, (read_at, used)) AS used,
  arg_max(total, (read_at, used)) AS total,
  max(read_at) AS read_at,
  count(*) AS readings,
  count(*) FILTER (is_reset) AS resets,
  coalesce(arg_min(before_at, (read_at, used)), min(read_at)) AS growth_since,
  CAST(sum(growth) AS BIGINT) AS growth,
  CASE WHEN bool_or(is_reset) THEN CAST(sum(growth) AS BIGINT) END AS used_of_day
FROM grown
GROUP BY metric, date
