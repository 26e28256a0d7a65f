/*
model: ops.reveals
kind: table
version: 1
grain: e-mail address or phone number that a request asked to reveal
key: [question_hash, run, what, asked_at]
description: >-
  Each time tidemark enrich asked the API to reveal an e-mail address or a phone number of a person (--reveal). The
  API may charge for these.
columns:
  question_hash: VARCHAR | The question in core.enrichments
  run: VARCHAR | Run that asked
  what: VARCHAR | email or phone
  revealed: BOOLEAN | True if the answer contains the e-mail address or phone number
  asked_at: TIMESTAMPTZ | When the API answered
*/
WITH asked AS (
  SELECT
    *,
    unnest(list_filter([
      CASE WHEN contains(request_key, '"reveal_email":true') THEN 'email' END,
      CASE WHEN contains(request_key, '"reveal_phone":true') THEN 'phone' END
    ], lambda x: x IS NOT NULL)) AS what
  FROM ledger.enrichment_answers
)

SELECT
  sha256(question) AS question_hash,
  run,
  what,
  bool_or(coalesce(json_text(json_extract(doc, '$.' || what)) IS NOT NULL, false)) AS revealed,
  observed_at AS asked_at
FROM asked
GROUP BY question, run, what, observed_at
