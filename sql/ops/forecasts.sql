/*
model: ops.forecasts
kind: table
version: 1
grain: stream of a run
key: [run, stream]
description: >-
  The requests forecast at the start of each run, next to the requests that the run sent.
columns:
  run: VARCHAR | Run
  stream: VARCHAR | search, nomenclatures, metrics, contact_metrics, or a stream of markets[].streams
  forecast_requests: BIGINT | Requests forecast, calibration included
  actual_requests: BIGINT | Requests sent, retries included; NULL until the run's crawl has ended
  basis: VARCHAR | Data that the forecast is based on
*/
WITH forecasts AS (
  SELECT
    run,
    body ->> '$.stream' AS stream,
    TRY_CAST(body ->> '$.requests' AS BIGINT) AS forecast_requests,
    TRY_CAST(json_extract(body, '$.endpoints') AS VARCHAR[]) AS endpoints,
    body ->> '$.basis' AS basis
  FROM ledger.run_records
  WHERE stream = 'forecasts'
)

SELECT
  f.run,
  f.stream,
  f.forecast_requests,
  CASE WHEN r.finished_at IS NOT NULL THEN CAST(coalesce(sum(q.requests), 0) AS BIGINT) END AS actual_requests,
  f.basis
FROM forecasts AS f
LEFT JOIN ops.runs AS r ON r.run_id = f.run
LEFT JOIN ops.requests AS q ON q.run = f.run AND list_contains(f.endpoints, q.endpoint)
GROUP BY f.run, f.stream, f.forecast_requests, f.basis, r.finished_at
