/*
model: core.payee_checks_history
kind: table
version: 1
grain: answer of the API about a payee check
key: [question_hash, check_id, kind, observed_at, payload_hash]
nullable: [check_id, decision, payload]
description: >-
  Every answer about payee checks over time: checks, repeated checks and reports. core.payee_checks has the latest state of
  each check.
columns:
  question_hash: VARCHAR | As in core.payee_checks
  check_id: VARCHAR | Id of the check; NULL if the answer does not state it clearly
  kind: VARCHAR | new (checked by its account), again (an earlier check was repeated by its id) or report
  decision: VARCHAR | Decision in this answer (OK_TO_PAY, REVIEW_BEFORE_PAYING or DO_NOT_PAY); NULL if the answer does not state one clearly
  payload: JSON | The API answer; NULL if the table is built without personal data, but a check of the payee was landed with it
  payload_hash: VARCHAR | SHA-256 of the answer as kept
  observed_at: TIMESTAMPTZ | When the API answered
*/
WITH answers AS (
  SELECT DISTINCT question, check_id, kind, decision, payload, body_hash, observed_at FROM ledger.payee_checks
  UNION ALL
  SELECT DISTINCT c.question, r.check_id, 'report', r.decision, r.payload, r.body_hash, r.observed_at
  FROM ledger.payee_reports AS r
  JOIN (SELECT DISTINCT question, check_id FROM ledger.payee_checks) AS c USING (check_id)
),

hidden AS (
  SELECT DISTINCT c.question FROM ledger.payee_checks AS c CROSS JOIN settings AS s
  WHERE NOT s.personal_data AND NOT payee_is_masked(c.request)
)

SELECT
  sha256(question) AS question_hash,
  check_id,
  kind,
  decision,
  CASE WHEN h.question IS NULL THEN payload END AS payload,
  body_hash AS payload_hash,
  observed_at
FROM answers LEFT JOIN hidden AS h USING (question)
