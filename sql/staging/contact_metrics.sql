-- Loads answers of GET /v2/metrics/contacts: e-mail addresses and phone numbers used on one day. entity_id is the day,
-- YYYY-MM-DD.
INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN json_type(doc) <> 'OBJECT' THEN 'not_an_object'
    WHEN text_date(entity_id) IS NULL THEN 'bad_entity_id'
    ELSE 'no_counts'
  END,
  '$',
  CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL
  AND (
    json_type(doc) <> 'OBJECT'
    OR text_date(entity_id) IS NULL
    OR (coalesce(json_type(doc, '$.email_count'), 'NULL') = 'NULL' AND coalesce(json_type(doc, '$.phone_count'), 'NULL') = 'NULL')
  );

CREATE OR REPLACE TEMP TABLE contact_counts AS
SELECT
  row_id,
  CAST(entity_id AS DATE) AS date,
  json_extract(doc, '$.email_count') AS emails_said,
  json_extract(doc, '$.phone_count') AS phones_said,
  CASE WHEN json_id(emails_said) >= 0 THEN json_id(emails_said) END AS email_count,
  CASE WHEN json_id(phones_said) >= 0 THEN json_id(phones_said) END AS phone_count,
  observed_at,
  body_hash
FROM batch
WHERE doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

INSERT INTO batch_rejects
SELECT row_id, 'not_a_number', '$.email_count', CAST(emails_said AS VARCHAR)
FROM contact_counts
WHERE email_count IS NULL AND coalesce(json_type(emails_said), 'NULL') <> 'NULL'
UNION ALL
SELECT row_id, 'not_a_number', '$.phone_count', CAST(phones_said AS VARCHAR)
FROM contact_counts
WHERE phone_count IS NULL AND coalesce(json_type(phones_said), 'NULL') <> 'NULL';

INSERT INTO ledger.contact_metrics BY NAME
SELECT date, email_count, phone_count, observed_at, body_hash FROM contact_counts;
