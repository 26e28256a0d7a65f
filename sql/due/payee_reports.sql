-- Due: for each payee of this run's list, the latest check if its report was not read after it. The report is read
-- again while neither the check nor the report contains a decision. `about` has the questions of the check's payees.
WITH checks AS (
  SELECT question, arg_max(c, (observed_at, body_hash)) AS latest
  FROM ledger.payee_checks AS c
  JOIN asked_questions USING (question)
  GROUP BY question
),

latest AS (
  SELECT
    latest.check_id, max(latest.observed_at) AS checked_at, bool_or(latest.decision IS NOT NULL) AS is_decided,
    CAST(to_json(list(question ORDER BY question)) AS VARCHAR) AS about
  FROM checks
  WHERE latest.check_id IS NOT NULL
  GROUP BY latest.check_id
),

reports AS (
  SELECT check_id, max(observed_at) AS answered_at, bool_or(decision IS NOT NULL) AS is_decided
  FROM ledger.payee_reports
  GROUP BY ALL
)

SELECT
  l.check_id AS entity_id,
  CASE
    WHEN r.answered_at IS NULL AND o.entity_id IS NOT NULL THEN 'failed'
    WHEN r.answered_at IS NULL THEN 'unfetched'
    WHEN r.answered_at < l.checked_at OR NOT (l.is_decided OR r.is_decided) THEN 'stale'
  END AS reason,
  r.answered_at,
  CAST(NULL AS BIGINT) AS company_id,
  l.about
FROM latest AS l
LEFT JOIN reports AS r USING (check_id)
LEFT JOIN (SELECT DISTINCT entity_id FROM ledger.observations WHERE stream = 'payee_reports') AS o ON o.entity_id = l.check_id
