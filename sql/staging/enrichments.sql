-- Loads answers to questions of `tidemark enrich --people`: an employee record, a search of people, or not found (404).
-- entity_id is the question's canonical JSON. If a row of the list cannot become a question, it was landed with its
-- problem as the body.
UPDATE batch_rejects
SET reason = 'bad_row'
WHERE row_id IN (SELECT row_id FROM batch WHERE starts_with(request_key, 'CSV '));

INSERT INTO batch_rejects
SELECT row_id, 'not_an_object', '$', CAST(doc AS VARCHAR) FROM batch WHERE json_type(doc) <> 'OBJECT' AND NOT json_is_blank(doc);

-- Reject ids that BIGINT cannot hold. A record without an id means that nobody was found.
INSERT INTO batch_rejects
SELECT row_id, json_id_fault(json_extract(doc, '$.id')), '$', CAST(doc AS VARCHAR)
FROM batch
WHERE json_type(json_extract(doc, '$.id')) <> 'NULL' AND json_id(json_extract(doc, '$.id')) IS NULL
  AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

INSERT INTO ledger.enrichment_answers BY NAME
SELECT DISTINCT entity_id AS question, run, request_key, doc, observed_at, body_hash
FROM batch
WHERE (doc IS NOT NULL OR status = 404)
  AND TRY_CAST(entity_id AS JSON) IS NOT NULL
  AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');
