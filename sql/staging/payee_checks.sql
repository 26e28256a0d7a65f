-- Loads answers to payee checks. An answer may be any JSON. entity_id is the payee's question (src/crawl/streams/payees/question.ts).
-- If a row of the list breaks a rule, it was landed with its problem as the body.
UPDATE batch_rejects
SET reason = 'bad_row'
WHERE row_id IN (SELECT row_id FROM batch WHERE starts_with(request_key, 'CSV '));

-- "Not found" is no answer to a check. Reject it, so that the payee stays due.
INSERT INTO batch_rejects
SELECT row_id, 'not_found', '$', 'The API answered "not found" to the check.' FROM batch WHERE status = 404;

CREATE OR REPLACE TEMP TABLE answers AS
SELECT *, payee_words(doc) AS words, payee_check_id(doc) AS check_id FROM batch WHERE doc IS NOT NULL;

-- Reject only the id or the decision. A reject with the path `$` would make the whole answer unreadable.
INSERT INTO batch_rejects
SELECT row_id, payee_words_fault(words), '$.decision', array_to_string(words, ', ') FROM answers
WHERE payee_words_fault(words) IS NOT NULL
UNION ALL
SELECT row_id, 'no_check_id', '$.id', left(CAST(doc AS VARCHAR), 1000) FROM answers WHERE check_id IS NULL;

INSERT INTO ledger.payee_checks BY NAME
SELECT
  b.entity_id AS question,
  CASE WHEN starts_with(b.request_key, 'POST /v2/know-your-payee/') THEN 'again' ELSE 'new' END AS kind,
  -- The masked request. With `personalData: contacts`, the request without masking.
  json_read(nullif(regexp_extract(b.request_key, '^POST /v2/know-your-payee (\{.*)$', 1, 's'), '')) AS request,
  a.check_id,
  CASE WHEN payee_words_fault(a.words) IS NULL THEN a.words[1] END AS decision,
  coalesce(TRY_CAST(regexp_extract(p.row_kind, '^call-([0-9]+)$', 1) AS INTEGER), 1) AS calls,
  a.doc AS payload,
  b.observed_at,
  b.body_hash
FROM answers AS a
JOIN batch AS b USING (row_id)
JOIN parts AS p USING (row_id)
WHERE TRY_CAST(b.entity_id AS JSON) IS NOT NULL;
