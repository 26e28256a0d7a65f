/*
model: ops.runs
kind: table
version: 1
grain: run
key: [run_id]
description: Every run of a top-level workflow, with its result once it ended.
columns:
  workflow_id: VARCHAR | Temporal workflow id
  run_id: VARCHAR | First execution's run id; the column run of other tables
  workflow_type: VARCHAR | Temporal workflow type
  market: VARCHAR | Market, for runs of one
  date: DATE | Logical date
  as_of_now: BOOLEAN | False for a run of a past date, which files nothing as of now
  started_at: TIMESTAMPTZ | Start
  finished_at: TIMESTAMPTZ | End of its crawl; NULL while it runs
  outcome: VARCHAR | running, complete (proven whole), partial, stopped, failed or cancelled
  crawled: VARCHAR | How its crawl ended (complete, partial or stopped), also when the run failed or was cancelled after it; NULL where it did not end
  requests: BIGINT | Requests sent, retries included
  rows: BIGINT | Responses landed
  config_hash: VARCHAR | Hash of the configuration it ran with
  note: VARCHAR | What it did less than its name says
  held_back: VARCHAR | Why its market did not become current; NULL when it did, or it read none
  refused: JSON | What the API refuses to the key, an array of stream, endpoint, permission, module, app, guard and message; NULL when nothing
*/
WITH ended AS (
  SELECT
    r.*,
    coalesce(body ->> '$.crawled', body ->> '$.outcome') AS crawl,
    -- What the warehouse proves: less than the run said before its answers were loaded, or than older versions said.
    record_key IN (SELECT run FROM ops.coverage WHERE NOT is_proven) AS is_short
  FROM ledger.run_records AS r
  WHERE stream = 'runs'
)

SELECT
  body ->> '$.workflow_id' AS workflow_id,
  record_key AS run_id,
  body ->> '$.workflow_type' AS workflow_type,
  body ->> '$.market' AS market,
  TRY_CAST(body ->> '$.date' AS DATE) AS date,
  coalesce(TRY_CAST(body ->> '$.as_of_now' AS BOOLEAN), false) AS as_of_now,
  TRY_CAST(body ->> '$.started_at' AS TIMESTAMPTZ) AS started_at,
  TRY_CAST(body ->> '$.finished_at' AS TIMESTAMPTZ) AS finished_at,
  CASE WHEN is_short AND (body ->> '$.outcome') = 'complete' THEN 'partial' ELSE body ->> '$.outcome' END AS outcome,
  CASE
    WHEN is_short AND crawl = 'complete' THEN 'partial'
    WHEN crawl IN ('complete', 'partial', 'stopped') THEN crawl
  END AS crawled,
  TRY_CAST(body ->> '$.requests' AS BIGINT) AS requests,
  TRY_CAST(body ->> '$.rows' AS BIGINT) AS rows,
  body ->> '$.config_hash' AS config_hash,
  body ->> '$.note' AS note,
  body ->> '$.held_back' AS held_back,
  json_extract(body, '$.refused') AS refused
FROM ended
