-- Due: companies that answer a question of this run's list (by score or by a person's decision) and whose record was
-- never read. It counts as read if a run of a market fetched it, or if it was itself the answer to a question.
WITH decisions AS (
  SELECT question, arg_max(struct_pack(company_id := company_id), (observed_at, body_hash)).company_id AS company_id
  FROM ledger.match_decisions
  GROUP BY question
),

resolved AS (
  SELECT DISTINCT CASE WHEN d.question IS NOT NULL THEN d.company_id WHEN r.state = 'matched' THEN r.best_id END AS company_id
  FROM asked_questions AS q
  LEFT JOIN match_results('ledger.match_answers') AS r USING (question)
  LEFT JOIN decisions AS d USING (question)
)

SELECT
  CAST(c.company_id AS VARCHAR) AS entity_id,
  CASE
    WHEN a.answered_at IS NOT NULL THEN NULL
    WHEN EXISTS (
      FROM ledger.observations AS o
      WHERE o.stream IN ('companies', 'matches') AND o.company_id = c.company_id AND o.readable AND o.record_hash IS NOT NULL
    ) THEN NULL
    ELSE 'unfetched'
  END AS reason,
  a.answered_at,
  c.company_id
FROM resolved AS c
LEFT JOIN ledger.answers AS a ON a.stream = 'companies' AND a.entity_id = CAST(c.company_id AS VARCHAR)
WHERE c.company_id IS NOT NULL
