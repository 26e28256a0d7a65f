-- Requests by market and workflow type. Uses the latest run of each that sent any request.
WITH latest AS (
  SELECT run_id, workflow_id, started_at
  FROM ops.runs
  WHERE requests > 0
  QUALIFY row_number() OVER (PARTITION BY workflow_type, market ORDER BY started_at DESC, run_id) = 1
)

SELECT r.workflow_id, q.endpoint, q.requests, q.errors, q.retries, q.bytes, q.p50_ms, q.p99_ms
FROM ops.requests AS q
JOIN latest AS r ON r.run_id = q.run
ORDER BY r.started_at DESC, q.requests DESC, q.endpoint
