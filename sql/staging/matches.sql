-- Loads answers to questions of `tidemark resolve`: a company record, a record without an id, or not found (404).
-- entity_id is the question's canonical JSON.
-- A row of the CSV list that gives no question was landed with its problem as body.
UPDATE batch_rejects
SET reason = 'bad_row'
WHERE row_id IN (SELECT row_id FROM batch WHERE starts_with(request_key, 'CSV '));

INSERT INTO batch_rejects
SELECT row_id, 'not_an_object', '$', CAST(doc AS VARCHAR) FROM batch WHERE doc IS NOT NULL AND json_type(doc) <> 'OBJECT';

INSERT INTO batch_rejects
SELECT row_id, json_id_fault(json_extract(doc, '$.id')), '$', CAST(doc AS VARCHAR)
FROM batch
WHERE json_type(json_extract(doc, '$.id')) <> 'NULL'
  AND json_id(json_extract(doc, '$.id')) IS NULL;

MERGE INTO ledger.matches AS old
USING (
  SELECT
    b.entity_id AS question,
    -- The kind of request that found the company; NULL if the API found no company.
    CASE
      WHEN b.doc IS NULL THEN NULL
      WHEN starts_with(b.request_key, 'POST /v2/enrichment/url ') THEN 'website'
      WHEN starts_with(b.request_key, 'POST /v2/enrichment/company/pronet ') THEN 'profile'
      WHEN contains(b.request_key, '"email":') THEN 'email'
      WHEN contains(b.request_key, '"name":') THEN 'name'
      ELSE 'registration'
    END AS kind,
    json_id(json_extract(b.doc, '$.id')) AS company_id,
    b.doc AS payload,
    b.observed_at,
    b.body_hash
  FROM batch AS b
  WHERE (b.doc IS NOT NULL OR b.status = 404)
    AND TRY_CAST(b.entity_id AS JSON) IS NOT NULL
    AND b.row_id NOT IN (SELECT row_id FROM batch_rejects)
  QUALIFY row_number() OVER (PARTITION BY question ORDER BY observed_at DESC, body_hash DESC) = 1
) AS new ON old.question = new.question
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;
