/*
model: ops.runs
kind: table
version: 1
grain: run
key: [run_id]
description: Every run of a top-level workflow, with its result after it has ended.
columns:
  workflow_id: VARCHAR | Temporal workflow id
  run_id: VARCHAR | Temporal run id of the first execution; other tables have it in the column run
  workflow_type: VARCHAR | Temporal workflow type
  market: VARCHAR | Market; NULL for a run without a market
  date: DATE | Date of the night that the run belongs to
  as_of_now: BOOLEAN | False for a run of a past date, which stores no current state
  started_at: TIMESTAMPTZ | When the run started
  finished_at: TIMESTAMPTZ | When the run's crawl ended; NULL before the end
  outcome: VARCHAR | running, complete (proven), partial, stopped, failed or cancelled
  crawled: VARCHAR | How the run's crawl ended (complete, partial or stopped), even if the run failed or was cancelled later; NULL if the crawl did not end
  requests: BIGINT | Requests sent, retries included
  rows: BIGINT | Responses written to the landing zone
  config_hash: VARCHAR | Hash of the configuration that the run used
  note: VARCHAR | Remarks of the run, such as work that it left out; NULL if none
  held_back: VARCHAR | Why the night missed the publish thresholds and did not become the current night of its market; NULL if it did become current, or if the run searched no market
  refused: JSON | Requests that the API refused for lack of a permission, as an array of stream, endpoint, permission, module, app, guard and message; NULL if none
*/
WITH ended AS (
  SELECT
    r.*,
    coalesce(body ->> '$.crawled', body ->> '$.outcome') AS crawl,
    -- A run records its outcome before its records are loaded. After loading, the warehouse may prove less coverage.
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
