/*
model: ops.due
kind: table
version: 1
grain: reason of a stream of a run
key: [run, stream, reason]
description: >-
  Why each run fetched what it fetched. The rows of a stream add up to the entities the run knew of; those that are fresh it
  left alone.
columns:
  run: VARCHAR | Run
  stream: VARCHAR | companies, financials, financials_v1, tender_details, watch_events or matches
  reason: VARCHAR | new, unfetched, event, renamed, status, entered, changed, watched, failed, stale or fresh
  entities: BIGINT | Companies or tenders
*/
SELECT
  run,
  body ->> '$.stream' AS stream,
  body ->> '$.reason' AS reason,
  TRY_CAST(body ->> '$.entities' AS BIGINT) AS entities
FROM ledger.run_records
WHERE stream = 'due'
