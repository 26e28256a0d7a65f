-- Loads answers of GET /v2/companies/{id}: company records. _company_records.sql reads the records themselves.
-- The statement below rejects whole records.
INSERT INTO batch_rejects
WITH ids AS (
  SELECT row_id, doc, json_type(doc) AS type, text_id(entity_id) AS asked, json_extract(doc, '$.id') AS sent
  FROM batch
  WHERE doc IS NOT NULL
)
SELECT
  row_id,
  CASE
    WHEN type <> 'OBJECT' THEN 'not_an_object'
    WHEN asked IS NULL THEN 'bad_entity_id'
    WHEN json_id(sent) IS NULL THEN json_id_fault(sent)
    ELSE 'other_id'
  END,
  '$',
  CAST(doc AS VARCHAR)
FROM ids
WHERE type <> 'OBJECT' OR asked IS NULL OR json_id(sent) IS DISTINCT FROM asked;

CREATE OR REPLACE TEMP VIEW company_docs AS
SELECT row_id, text_id(entity_id) AS company_id, observed_at, body_hash, doc
FROM batch
WHERE doc IS NOT NULL;
