/*
model: ops.quota_drift
kind: table
version: 1
grain: run that read the daily metric at its start and at its end
key: [run, metric]
description: What the API counted while a run was under way, against what the run's ledger booked.
columns:
  run: VARCHAR | Run
  metric: VARCHAR | Codename of the daily metric
  used_before: BIGINT | Used when the run began
  used_after: BIGINT | Used when its crawl ended
  calls: BIGINT | Requests of the run, retries included, but for those for the metrics themselves
  drift: BIGINT | Calls that the API counted and the run did not make (another run beside it, or another user of the key); below 0, calls it did not count
*/
SELECT
  run,
  record_key AS metric,
  TRY_CAST(body ->> '$.used_before' AS BIGINT) AS used_before,
  TRY_CAST(body ->> '$.used_after' AS BIGINT) AS used_after,
  TRY_CAST(body ->> '$.calls' AS BIGINT) AS calls,
  TRY_CAST(body ->> '$.drift' AS BIGINT) AS drift
FROM ledger.run_records
WHERE stream = 'quota_drift'
