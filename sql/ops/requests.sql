/*
model: ops.requests
kind: table
version: 1
grain: endpoint of a run
key: [run, endpoint]
description: Requests that each run sent, by endpoint.
columns:
  run: VARCHAR | Run
  endpoint: VARCHAR | Method and route; unknown for requests in flight when a worker was killed, whose answers are not logged
  requests: BIGINT | Requests sent, retries included
  errors: BIGINT | Requests that failed
  retries: BIGINT | Requests that repeated a failed request
  bytes: BIGINT | Size of the response bodies in bytes
  p50_ms: DOUBLE | Median latency in milliseconds
  p99_ms: DOUBLE | 99th percentile of latency in milliseconds
*/
SELECT
  run,
  record_key AS endpoint,
  TRY_CAST(body ->> '$.requests' AS BIGINT) AS requests,
  TRY_CAST(body ->> '$.errors' AS BIGINT) AS errors,
  TRY_CAST(body ->> '$.retries' AS BIGINT) AS retries,
  TRY_CAST(body ->> '$.bytes' AS BIGINT) AS bytes,
  TRY_CAST(body ->> '$.p50_ms' AS DOUBLE) AS p50_ms,
  TRY_CAST(body ->> '$.p99_ms' AS DOUBLE) AS p99_ms
FROM ledger.run_records
WHERE stream = 'requests'
