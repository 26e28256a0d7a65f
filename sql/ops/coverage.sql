/*
model: ops.coverage
kind: table
version: 1
grain: market of a run
key: [run, market]
description: How much of a market a run reached, and by name what it did not.
columns:
  run: VARCHAR | Run
  market: VARCHAR | Market
  reported_total: BIGINT | Companies the API reports for the whole market, asked again at the end
  distinct_companies: BIGINT | Distinct companies its searches reported, vanished ones included
  missing: BIGINT | The difference; never below 0
  share: DOUBLE | Reached share, 0 to 1
  why: JSON | Each segment that fell short, with its filters, missing count, class and reason
  certificate: JSON | Companies found and missing by class (proven, drifted, unsplittable, unproven), and those gone at the end
*/
SELECT
  run,
  record_key AS market,
  TRY_CAST(body ->> '$.reported_total' AS BIGINT) AS reported_total,
  TRY_CAST(body ->> '$.distinct_companies' AS BIGINT) AS distinct_companies,
  TRY_CAST(body ->> '$.missing' AS BIGINT) AS missing,
  TRY_CAST(body ->> '$.share' AS DOUBLE) AS share,
  json_extract(body, '$.why') AS why,
  json_extract(body, '$.certificate') AS certificate
FROM ledger.run_records
WHERE stream = 'coverage'
