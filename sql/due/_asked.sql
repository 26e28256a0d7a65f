-- The questions of this run. Two questions that differ only in upper and lower case are the same question. Uses the
-- spelling that was sent earlier, if there is one.
CREATE OR REPLACE TEMP TABLE asked_questions AS
WITH known AS (
  SELECT lower(question) AS folded, arg_max(question, (observed_at, question)) AS question
  FROM (
    SELECT question, observed_at FROM ledger.match_answers
    UNION ALL
    SELECT question, observed_at FROM ledger.match_decisions
    UNION ALL
    SELECT question, observed_at FROM ledger.enrichment_answers
  )
  GROUP BY ALL
)

SELECT coalesce(any_value(k.question), min(n.question)) AS question
FROM asked_now AS n
LEFT JOIN known AS k ON k.folded = lower(n.question)
GROUP BY lower(n.question);
