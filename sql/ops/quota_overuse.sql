/*
model: ops.quota_overuse
kind: table
version: 1
grain: daily metric that a run read at its start and end
key: [run, metric]
description: >-
  Quota overuse: requests that the API counted during a run, compared with the requests that the run sent.
columns:
  run: VARCHAR | Run
  metric: VARCHAR | Code name of the daily metric
  used_before: BIGINT | Amount used when the run began
  used_after: BIGINT | Amount used when the run's crawl ended
  calls: BIGINT | Requests that the run sent, retries included, without requests for the metrics
  overuse: BIGINT | Requests that the API counted and the run did not send (another run, or another user of the API key); below 0 if the API counted fewer
*/
SELECT
  run,
  record_key AS metric,
  TRY_CAST(body ->> '$.used_before' AS BIGINT) AS used_before,
  TRY_CAST(body ->> '$.used_after' AS BIGINT) AS used_after,
  TRY_CAST(body ->> '$.calls' AS BIGINT) AS calls,
  TRY_CAST(body ->> '$.overuse' AS BIGINT) AS overuse
FROM ledger.run_records
WHERE stream = 'quota_overuse'
