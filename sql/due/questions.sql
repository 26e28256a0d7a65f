-- Due: questions of this run's list that have no answer, or whose answer is too old. A question that a person has
-- decided is not sent again.
SELECT
  q.question AS entity_id,
  CASE
    WHEN q.question IN (SELECT question FROM ledger.match_decisions) THEN NULL
    WHEN a.answered_at IS NULL AND o.entity_id IS NOT NULL THEN 'failed'
    WHEN a.answered_at IS NULL THEN 'unfetched'
    WHEN a.answered_at <= p.now - to_seconds(p.refresh_seconds) OR a.answered_at > p.now + INTERVAL 1 DAY THEN 'stale'
  END AS reason,
  a.answered_at,
  CAST(NULL AS BIGINT) AS company_id
FROM asked_questions AS q
CROSS JOIN plan AS p
LEFT JOIN ledger.answers AS a ON a.stream = p.stream AND a.entity_id = q.question
LEFT JOIN (SELECT DISTINCT entity_id FROM ledger.observations WHERE stream = (SELECT stream FROM plan)) AS o ON o.entity_id = q.question
