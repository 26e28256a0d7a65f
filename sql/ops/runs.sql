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
  outcome: VARCHAR | running, complete, partial, stopped, failed or cancelled
  crawled: VARCHAR | How its crawl ended (complete, partial or stopped), also when the run failed or was cancelled after it; NULL where it did not end
  requests: BIGINT | Requests sent, retries included
  rows: BIGINT | Responses landed
  config_hash: VARCHAR | Hash of the configuration it ran with
  note: VARCHAR | What it did less than its name says
  held_back: VARCHAR | Why its market did not become current; NULL when it did, or it read none
*/
SELECT
  body ->> '$.workflow_id' AS workflow_id,
  record_key AS run_id,
  body ->> '$.workflow_type' AS workflow_type,
  body ->> '$.market' AS market,
  TRY_CAST(body ->> '$.date' AS DATE) AS date,
  coalesce(TRY_CAST(body ->> '$.as_of_now' AS BOOLEAN), false) AS as_of_now,
  TRY_CAST(body ->> '$.started_at' AS TIMESTAMPTZ) AS started_at,
  TRY_CAST(body ->> '$.finished_at' AS TIMESTAMPTZ) AS finished_at,
  body ->> '$.outcome' AS outcome,
  CASE
    WHEN coalesce(body ->> '$.crawled', body ->> '$.outcome') IN ('complete', 'partial', 'stopped')
      THEN coalesce(body ->> '$.crawled', body ->> '$.outcome')
  END AS crawled,
  TRY_CAST(body ->> '$.requests' AS BIGINT) AS requests,
  TRY_CAST(body ->> '$.rows' AS BIGINT) AS rows,
  body ->> '$.config_hash' AS config_hash,
  body ->> '$.note' AS note,
  body ->> '$.held_back' AS held_back
FROM ledger.run_records
WHERE stream = 'runs'
