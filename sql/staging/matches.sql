-- Loads answers to questions of `tidemark resolve`: company records, pages of a company search, or not found (404).
-- entity_id is the question's canonical JSON. Decisions of people have the request key DECISION. If a row of the list
-- cannot become a question, it was landed with its problem as the body.
UPDATE batch_rejects
SET reason = 'bad_row'
WHERE row_id IN (SELECT row_id FROM batch WHERE starts_with(request_key, 'CSV '));

INSERT INTO batch_rejects
SELECT row_id, 'not_an_object', '$', CAST(doc AS VARCHAR) FROM batch WHERE json_type(doc) <> 'OBJECT' AND NOT json_is_blank(doc);

CREATE OR REPLACE TEMP TABLE matches_answered AS
SELECT
  row_id,
  run,
  entity_id AS question,
  request_key,
  starts_with(request_key, 'DECISION ') AS is_decision,
  -- The answer to a search is a list of companies. The answer to any other request is one record.
  json_has_items(json_extract(doc, '$.data')) AS is_search,
  match_kind(entity_id, request_key) AS kind,
  doc,
  json_id(json_extract(doc, '$.id')) AS company_id,
  observed_at,
  body_hash
FROM batch
WHERE (doc IS NOT NULL OR status = 404)
  AND TRY_CAST(entity_id AS JSON) IS NOT NULL
  AND row_id NOT IN (SELECT row_id FROM batch_rejects);

-- Reject ids that BIGINT cannot hold. A record without an id means that no company was found.
INSERT INTO batch_rejects
SELECT row_id, json_id_fault(json_extract(doc, '$.id')), '$', CAST(doc AS VARCHAR)
FROM matches_answered
WHERE NOT is_decision AND NOT coalesce(is_search, false) AND json_type(json_extract(doc, '$.id')) <> 'NULL' AND company_id IS NULL;

INSERT INTO batch_rejects
WITH items AS (
  SELECT row_id, unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM matches_answered
  WHERE is_search
)
SELECT row_id, json_id_fault(json_extract(item, '$.id')), '$.data[' || i || ']', CAST(item AS VARCHAR)
FROM items
WHERE json_id(json_extract(item, '$.id')) IS NULL;

INSERT INTO ledger.match_answers BY NAME
SELECT DISTINCT question, run, request_key, kind, doc, observed_at, body_hash
FROM matches_answered
WHERE NOT is_decision AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');

INSERT INTO ledger.match_decisions BY NAME
SELECT DISTINCT question, json_id(json_extract(doc, '$.company_id')) AS company_id, observed_at, body_hash
FROM matches_answered
WHERE is_decision AND doc IS NOT NULL;

-- The answers that are company records. _company_records.sql reads this view.
CREATE OR REPLACE TEMP VIEW company_docs AS
SELECT row_id, company_id, observed_at, body_hash, doc
FROM matches_answered
WHERE NOT is_decision AND NOT coalesce(is_search, false) AND company_id IS NOT NULL
  AND row_id NOT IN (SELECT row_id FROM batch_rejects WHERE path = '$');
