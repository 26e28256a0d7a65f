/*
model: ops.due
kind: table
version: 1
grain: reason in a stream of a run
key: [run, stream, reason]
description: >-
  Why each run fetched its records: the number of records by reason. For one run and stream, the numbers add up to all records
  that the run knew. They include the records that it did not fetch, with the reason fresh.
columns:
  run: VARCHAR | Run
  stream: VARCHAR | companies, financials, financials_v1, companies_v1, financials_ticker, executives, employees, employee_details, ownership, ownership_jobs, tender_details, watch_events, matches, enrichments, payee_checks or payee_reports
  reason: VARCHAR | Why the entities were due (new, unfetched, event, renamed, status, entered, left, changed, watched, failed or stale), or fresh
  entities: BIGINT | Number of companies, people, tickers, tenders or questions
*/
SELECT
  run,
  body ->> '$.stream' AS stream,
  body ->> '$.reason' AS reason,
  TRY_CAST(body ->> '$.entities' AS BIGINT) AS entities
FROM ledger.run_records
WHERE stream = 'due'
