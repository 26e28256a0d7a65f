-- Rejects whole records among those that the first pass did not read. Runs only if there are any.
INSERT INTO batch_rejects
WITH ids AS (
  SELECT row_id, doc, json_type(doc) AS type, text_id(entity_id) AS asked, json_extract(doc, '$.id') AS sent
  FROM batch
  WHERE row_id IN (SELECT row_id FROM odd_rows)
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
