/*
model: ops.quota
kind: table
version: 1
grain: reading of a usage metric
key: [run, metric, read_at]
description: Readings of the API's usage metrics.
columns:
  run: VARCHAR | Run that took the reading
  metric: VARCHAR | Code name of the metric
  used: BIGINT | Amount used so far
  total: BIGINT | Amount allowed; 0 means that the API gives no figure
  read_at: TIMESTAMPTZ | When the metric was read
*/
SELECT
  run,
  body ->> '$.metric' AS metric,
  TRY_CAST(body ->> '$.used' AS BIGINT) AS used,
  TRY_CAST(body ->> '$.total' AS BIGINT) AS total,
  TRY_CAST(body ->> '$.read_at' AS TIMESTAMPTZ) AS read_at
FROM ledger.run_records
WHERE stream = 'quota'
