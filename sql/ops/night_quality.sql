/*
model: ops.night_quality
kind: table
version: 1
grain: night of a market, or of the tenders
key: [workflow_type, market, date]
nullable: [market]
dates: days
description: >-
  How good each night is: one row for the night of a market, and one for the night of the tenders. Of several runs of a night,
  the one that started last counts. A run that has not ended counts only if no run of the night has ended. The row says what is
  missing now: if a later run fetched what was missing, the outcome becomes complete. Nights that were held back have a row,
  too. Runs of a past date have none, because they search no market. A market that was removed from the configuration keeps its
  nights.
columns:
  market: VARCHAR | Market; NULL for tenders
  date: DATE | Date of the night
  is_last: BOOLEAN | True for the last night of the market, or of the tenders
  outcome: VARCHAR | complete (nothing is missing), partial, stopped, failed, cancelled, terminated, timed_out, lost or running
  reported_total: BIGINT | Companies that the API reports; NULL for tenders, and if the search did not end
  companies_found: BIGINT | Companies that the run found and the warehouse holds
  companies_missing: BIGINT | Companies that the API reports and the run did not find
  records_missing: JSON | Number of missing records by stream, such as {"financials":3}; NULL if none is missing
  rejects: BIGINT | Open rejects in the run's answers
  is_held_back: BOOLEAN | True if the night missed the publish thresholds, so that it did not become the market's current night
  is_current: BOOLEAN | True if readers see the companies of this run for this date (ops.nights); NULL for tenders
  why: VARCHAR | Why the night is not complete, one sentence for each reason; NULL if it is complete
  reasons: JSON | The same reasons as an array of code, values and reason (see ops.runs.why)
  run: VARCHAR | Run
  workflow_type: VARCHAR | marketSnapshot or tenderSnapshot
  run_outcome: VARCHAR | Outcome when the run ended
  started_at: TIMESTAMPTZ | When the run started
  finished_at: TIMESTAMPTZ | When the run's crawl ended; NULL before the end
audits:
  - name: says_why
    severity: warn
    sql: FROM ops.night_quality WHERE (outcome = 'complete') <> (why IS NULL) AND outcome <> 'running'
  - { range: { column: companies_missing, min: 0 } }
*/
WITH last_runs AS (
  SELECT *
  FROM ops.runs
  WHERE date IS NOT NULL
    AND (workflow_type = 'marketSnapshot' AND as_of_now AND market IS NOT NULL OR workflow_type = 'tenderSnapshot')
  QUALIFY row_number() OVER (
    PARTITION BY workflow_type, market, date ORDER BY outcome = 'running', started_at DESC, run_id DESC
  ) = 1
)

SELECT
  r.market,
  r.date,
  row_number() OVER (PARTITION BY r.workflow_type, r.market ORDER BY r.date DESC) = 1 AS is_last,
  CASE
    WHEN r.outcome NOT IN ('complete', 'partial') THEN r.outcome
    WHEN r.why IS NULL THEN 'complete'
    ELSE 'partial'
  END AS outcome,
  c.reported_total,
  c.distinct_companies AS companies_found,
  c.missing AS companies_missing,
  r.records_missing,
  r.rejects,
  r.held_back IS NOT NULL AS is_held_back,
  CASE WHEN r.market IS NOT NULL THEN n.run IS NOT NULL END AS is_current,
  nullif(array_to_string(list_transform(json_items(r.why), lambda item: item ->> '$.reason'), ' '), '') AS why,
  r.why AS reasons,
  r.run_id AS run,
  r.workflow_type,
  r.outcome AS run_outcome,
  r.started_at,
  r.finished_at
FROM last_runs AS r
LEFT JOIN ops.coverage AS c ON c.run = r.run_id AND c.market = r.market
LEFT JOIN ops.nights AS n ON n.run = r.run_id
