/*
model: ops.segments
kind: incremental
version: 1
grain: segment of a run's search
key: [run, segment]
description: The searches by which a run found the companies of a market, as a tree of segments, with the result of each segment.
incremental:
  by: [run]
  changed: SELECT DISTINCT run FROM ledger.dirty_runs
  all: SELECT DISTINCT run FROM ledger.run_records
columns:
  run: VARCHAR | Run
  segment: VARCHAR | Id of the segment
  parent: VARCHAR | Segment from which this segment was split; NULL for the root
  filters: JSON | Filters, as sent
  total_reported: BIGINT | Companies that the API reported for these filters
  rows_fetched: BIGINT | Rows on the fetched pages
  distinct_companies: BIGINT | Distinct companies found in or below the segment; without ids that the warehouse cannot hold
  pages: INTEGER | Pages fetched
  depth: INTEGER | Distance from the root
  state: VARCHAR | leaf, split, moved (count changed while reading), truncated (above the page cap, cannot be split), remainder (split, but companies are missing), unusable (ids that the warehouse cannot hold) or calibration
  split_by: VARCHAR | Dimension along which the segment was split; NULL if it was not split
*/
SELECT
  run,
  record_key AS segment,
  body ->> '$.parent' AS parent,
  json_extract(body, '$.filters') AS filters,
  TRY_CAST(body ->> '$.total_reported' AS BIGINT) AS total_reported,
  TRY_CAST(body ->> '$.rows_fetched' AS BIGINT) AS rows_fetched,
  TRY_CAST(body ->> '$.distinct_companies' AS BIGINT) AS distinct_companies,
  TRY_CAST(body ->> '$.pages' AS INTEGER) AS pages,
  TRY_CAST(body ->> '$.depth' AS INTEGER) AS depth,
  body ->> '$.state' AS state,
  body ->> '$.split_by' AS split_by
FROM ledger.run_records
SEMI JOIN changed USING (run)
WHERE stream = 'segments'
