-- Due: payees of this run's list that have no answer, or whose answer is too old. `about` is the id of the latest check:
-- the worker repeats it.
SELECT
  q.question AS entity_id,
  CASE
    WHEN a.answered_at IS NULL AND o.entity_id IS NOT NULL THEN 'failed'
    WHEN a.answered_at IS NULL THEN 'unfetched'
    WHEN a.answered_at <= p.now - to_seconds(p.refresh_seconds) OR a.answered_at > p.now + INTERVAL 1 DAY THEN 'stale'
  END AS reason,
  a.answered_at,
  CAST(NULL AS BIGINT) AS company_id,
  a.about
FROM asked_questions AS q
CROSS JOIN plan AS p
LEFT JOIN (
  SELECT
    question, max(observed_at) AS answered_at,
    arg_max(check_id, (observed_at, body_hash)) FILTER (check_id IS NOT NULL) AS about
  FROM ledger.payee_checks
  GROUP BY question
) AS a USING (question)
LEFT JOIN (SELECT DISTINCT entity_id FROM ledger.observations WHERE stream = 'payee_checks') AS o ON o.entity_id = q.question
