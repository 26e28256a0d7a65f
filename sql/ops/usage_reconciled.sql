/*
model: ops.usage_reconciled
kind: table
version: 1
grain: UTC day on which the daily usage metric was read
key: [metric, date]
description: >-
  The API's count of the daily metric, compared with the request log of the day's runs. The reference does not say
  which requests the API counts. So the log gives a range: from the answered data requests of version 2 to all
  requests. ops.quota_overuse compares single runs.
columns:
  metric: VARCHAR | Code name of the daily metric
  date: DATE | UTC day
  counted: BIGINT | Least amount that the API counted since counted_since, as the readings prove
  counted_since: TIMESTAMPTZ | Reading from which the API's count is compared; may be on an earlier day
  runs: BIGINT | Runs that began and ended on the day
  runs_divided: BIGINT | Runs that also worked on another day, or have not ended; their requests cannot be assigned to one day
  requests_least: BIGINT | Answered data requests of version 2 that the runs of the day logged
  requests_most: BIGINT | All requests that the runs of the day logged, retries included, without requests for metrics
  errors: BIGINT | Requests in requests_most that failed
  retries: BIGINT | Requests in requests_most that repeated a failed request
  difference: BIGINT | Distance of counted from the range, above 0 if the API counted more than requests_most, below 0 if fewer than requests_least; NULL if the day cannot be compared
  explanation: VARCHAR | What the readings prove about the difference, and what may have caused it
*/
WITH daily AS (
  SELECT *
  FROM ops.usage_daily
  WHERE metric IN (SELECT body ->> '$.metric' FROM ledger.run_records WHERE stream = 'quota' AND (body ->> '$.daily') = 'true')
),

-- First and last UTC day of each run. A run without an end may have sent requests until the day after its last reading
-- of the quota.
runs AS (
  SELECT
    r.run_id AS run,
    CAST(r.started_at AT TIME ZONE 'UTC' AS DATE) AS first_day,
    CAST(r.finished_at AT TIME ZONE 'UTC' AS DATE) AS last_day,
    coalesce(last_day, CAST(coalesce(max(q.read_at), r.started_at) AT TIME ZONE 'UTC' AS DATE) + 1) AS until_day,
    r.outcome IN ('failed', 'cancelled', 'terminated', 'timed_out', 'lost') AS is_broken
  FROM ops.runs AS r
  LEFT JOIN ops.quota AS q ON q.run = r.run_id
  GROUP BY r.run_id, r.started_at, r.finished_at, r.outcome
),

calls AS (
  SELECT
    run,
    sum(requests) AS most,
    sum(requests - errors) FILTER (contains(endpoint, ' /v2/') AND NOT contains(endpoint, '/watch')) AS least,
    sum(errors) AS errors,
    sum(retries) AS retries
  FROM ops.requests
  WHERE endpoint NOT IN ('GET /v2/metrics', 'GET /v2/metrics/contacts')
  GROUP BY run
),

logged AS (
  SELECT
    d.metric,
    d.date,
    count(*) FILTER (r.first_day = r.last_day) AS runs,
    count(*) FILTER (r.first_day IS DISTINCT FROM r.last_day AND r.run IS NOT NULL) AS runs_divided,
    count(*) FILTER (r.is_broken) AS broken,
    CAST(coalesce(sum(c.least) FILTER (r.first_day = r.last_day), 0) AS BIGINT) AS requests_least,
    CAST(coalesce(sum(c.most) FILTER (r.first_day = r.last_day), 0) AS BIGINT) AS requests_most,
    CAST(coalesce(sum(c.errors) FILTER (r.first_day = r.last_day), 0) AS BIGINT) AS errors,
    CAST(coalesce(sum(c.retries) FILTER (r.first_day = r.last_day), 0) AS BIGINT) AS retries
  FROM daily AS d
  LEFT JOIN runs AS r ON d.date BETWEEN r.first_day AND r.until_day
  LEFT JOIN calls AS c ON c.run = r.run
  GROUP BY ALL
),

compared AS (
  SELECT
    l.*,
    d.growth AS counted,
    d.growth_since AS counted_since,
    d.resets,
    CASE
      WHEN d.growth_since = d.read_at OR l.runs_divided > 0 THEN NULL
      WHEN d.growth > l.requests_most THEN d.growth - l.requests_most
      WHEN d.growth < l.requests_least THEN d.growth - l.requests_least
      ELSE 0
    END AS difference
  FROM logged AS l
  JOIN daily AS d USING (metric, date)
)

SELECT
  metric, date, counted, counted_since, runs, runs_divided, requests_least, requests_most, errors, retries, difference,
  concat_ws(' ',
    CASE
      WHEN runs_divided > 0
      THEN format('Not comparable. Runs that also worked on another day, or have not ended: {:,}. The request log has only one total for each run.', runs_divided)
      WHEN difference IS NULL THEN 'Not comparable: the metric was read only once.'
      WHEN difference > 0
      THEN format('The API counted {:,} more than the runs of the day logged. Possible causes: other users of the key, commands outside runs, or requests that count several times. The readings do not say which.', difference)
      WHEN difference < 0
      THEN format('The API counted {:,} fewer than the answered data requests. Possible causes: it does not count some routes, or it counts later. The readings do not say which.', -difference)
      ELSE 'The API''s count agrees with the request log: it is between requests_least and requests_most.'
    END,
    CASE WHEN resets > 0 THEN 'The counter was reset. The amount used between the last reading before the reset and the reset is unknown.' END,
    CASE WHEN broken > 0 THEN format('Runs that failed or were cancelled: {:,}. The API may count their last requests on a later day.', broken) END
  ) AS explanation
FROM compared
