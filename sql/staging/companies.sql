-- Loads answers of GET /v2/companies/{id}: company records. _company_records.sql reads the records themselves.
-- The statement below rejects whole records.
INSERT INTO batch_rejects
SELECT
  row_id,
  CASE
    WHEN json_type(doc) <> 'OBJECT' THEN 'not_an_object'
    WHEN json_id(to_json(entity_id)) IS NULL THEN 'bad_entity_id'
    WHEN json_id(json_extract(doc, '$.id')) IS NULL THEN json_id_fault(json_extract(doc, '$.id'))
    ELSE 'other_id'
  END,
  '$',
  CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL
  AND (
    json_type(doc) <> 'OBJECT'
    OR json_id(to_json(entity_id)) IS NULL
    OR json_id(json_extract(doc, '$.id')) IS DISTINCT FROM json_id(to_json(entity_id))
  );

CREATE OR REPLACE TEMP VIEW company_docs AS
SELECT row_id, json_id(to_json(entity_id)) AS company_id, observed_at, body_hash, doc
FROM batch
WHERE doc IS NOT NULL;
