/*
model: core.payee_checks
kind: table
version: 1
grain: payee check that the API answered
key: [question_hash, observed_at]
nullable: [check_id, decision, payload]
description: >-
  Payee checks of the command tidemark payees check. The column is_current marks the latest check of each payee. Account
  numbers and identities are masked unless personalData is contacts when the API is read and when the table is built.
columns:
  check_id: VARCHAR | Id of the check; NULL if the answer does not state it clearly
  decision: VARCHAR | Decision of the latest report, else of the check (OK_TO_PAY, REVIEW_BEFORE_PAYING or DO_NOT_PAY); NULL if neither states one clearly
  request: JSON | The payee as checked (country_code, id_scheme, id, holding_entity, identity_type, identity_value, company_id, registration_number, name)
  payload: JSON | The API answer to the check; NULL if the table is built without personal data, but a check of the payee was landed with it
  report: JSON | The latest report of the check (GET /v2/know-your-payee/{id}); NULL if none was read, and where payload is NULL
  question_hash: VARCHAR | SHA-256 of the masked request with its keyed hash; equal payees of several lists share it
  is_current: BOOLEAN | True for the latest check of the payee
  kind: VARCHAR | new (checked by its account) or again (an earlier check was repeated by its id)
  calls: INTEGER | Calls that the API may have received for this answer; above 1 if a worker was killed, or a connection broke, before the answer was kept
  observed_at: TIMESTAMPTZ | When the API answered the check
  reported_at: TIMESTAMPTZ | When the API answered with the latest report; NULL if none was read
*/
WITH hidden AS (
  SELECT DISTINCT c.question FROM ledger.payee_checks AS c CROSS JOIN settings AS s
  WHERE NOT s.personal_data AND NOT payee_is_masked(c.request)
),

answers AS (
  SELECT *, row_number() OVER (PARTITION BY question, coalesce(check_id, body_hash) ORDER BY observed_at DESC, body_hash DESC) AS newest
  FROM ledger.payee_checks
),

-- A repeated check names only the earlier check. So take the request from the earlier check.
requests AS (
  SELECT question, arg_max(request, (observed_at, body_hash)) AS request FROM ledger.payee_checks WHERE request IS NOT NULL GROUP BY ALL
),

reports AS (
  SELECT
    check_id,
    arg_max(payload, (observed_at, body_hash)) AS payload,
    arg_max(decision, (observed_at, body_hash)) FILTER (decision IS NOT NULL) AS decision,
    max(observed_at) AS observed_at
  FROM ledger.payee_reports
  GROUP BY ALL
),

checks AS (
  SELECT * FROM answers WHERE newest = 1
  -- Two answers for one payee with the same time have no order. Choose one by its hash.
  QUALIFY row_number() OVER (PARTITION BY question, observed_at ORDER BY body_hash DESC) = 1
)

SELECT
  c.check_id,
  coalesce(CASE WHEN r.observed_at >= c.observed_at THEN r.decision END, c.decision) AS decision,
  coalesce(
    CASE WHEN h.question IS NULL THEN q.request END,
    json_merge_patch(CAST(c.question AS JSON), '{"fingerprint":null}')
  ) AS request,
  CASE WHEN h.question IS NULL THEN c.payload END AS payload,
  CASE WHEN h.question IS NULL THEN r.payload END AS report,
  sha256(c.question) AS question_hash,
  row_number() OVER (PARTITION BY c.question ORDER BY c.observed_at DESC, c.body_hash DESC) = 1 AS is_current,
  c.kind,
  c.calls,
  c.observed_at,
  r.observed_at AS reported_at
FROM checks AS c
LEFT JOIN requests AS q USING (question)
LEFT JOIN reports AS r USING (check_id)
LEFT JOIN hidden AS h ON h.question = c.question
