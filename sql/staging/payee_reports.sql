-- Loads reports of payee checks. A report may be any JSON. entity_id is the id of the check.
CREATE OR REPLACE TEMP TABLE answers AS
SELECT row_id, payee_words(doc) AS words FROM batch WHERE doc IS NOT NULL;

-- Reject only the decision. A reject with the path `$` would make the whole report unreadable.
INSERT INTO batch_rejects
SELECT row_id, payee_words_fault(words), '$.decision', array_to_string(words, ', ') FROM answers
WHERE payee_words_fault(words) IS NOT NULL;

INSERT INTO ledger.payee_reports BY NAME
SELECT
  b.entity_id AS check_id,
  CASE WHEN payee_words_fault(a.words) IS NULL THEN a.words[1] END AS decision,
  b.doc AS payload,
  b.observed_at,
  b.body_hash
FROM answers AS a
JOIN batch AS b USING (row_id);
