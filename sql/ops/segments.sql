/*
model: ops.segments
kind: incremental
version: 1
grain: segment of a run's search
key: [run, segment]
description: The tree of searches by which a run enumerated a market, with what each part of it proved.
incremental:
  by: [run]
  changed: SELECT DISTINCT run FROM ledger.dirty_runs
  all: SELECT DISTINCT run FROM ledger.run_records
columns:
  run: VARCHAR | Run
  segment: VARCHAR | Segment
  parent: VARCHAR | Segment it was split from; NULL for the root
  filters: JSON | Filters as sent
  total_reported: BIGINT | Companies the API reported for these filters
  rows_fetched: BIGINT | Rows its pages held
  distinct_companies: BIGINT | Distinct companies found at or below it, but for those whose ids the warehouse cannot hold
  carried: BIGINT | Companies below it that this run did not ask for, since an earlier night found them
  carried_since: DATE | Each of these was found on that night or later
  pages: INTEGER | Pages fetched
  depth: INTEGER | Distance from the root
  state: VARCHAR | leaf, split, drifted, truncated, remainder, unusable (ids the warehouse cannot hold) or calibration
  split_by: VARCHAR | Dimension its children split it by
*/
SELECT
  run,
  record_key AS segment,
  body ->> '$.parent' AS parent,
  json_extract(body, '$.filters') AS filters,
  TRY_CAST(body ->> '$.total_reported' AS BIGINT) AS total_reported,
  TRY_CAST(body ->> '$.rows_fetched' AS BIGINT) AS rows_fetched,
  TRY_CAST(body ->> '$.distinct_companies' AS BIGINT) AS distinct_companies,
  coalesce(TRY_CAST(body ->> '$.carried' AS BIGINT), 0) AS carried,
  TRY_CAST(body ->> '$.carried_since' AS DATE) AS carried_since,
  TRY_CAST(body ->> '$.pages' AS INTEGER) AS pages,
  TRY_CAST(body ->> '$.depth' AS INTEGER) AS depth,
  body ->> '$.state' AS state,
  body ->> '$.split_by' AS split_by
FROM ledger.run_records
SEMI JOIN changed USING (run)
WHERE stream = 'segments'
