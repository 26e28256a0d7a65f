-- Loads lookup lists. entity_id names the route: v1, tenders or donors. An answer is one list or an object of lists,
-- possibly inside a field `data`. A list is an array of {id, name, …}, or an object with ids as keys and names as
-- values. If the values are objects, the object is an array with gaps.
CREATE OR REPLACE TEMP MACRO is_array_of_items(j) AS
  json_type(j) = 'ARRAY' OR (json_has_list_keys(j) AND json_type(json_items(j)[1]) = 'OBJECT');

CREATE OR REPLACE TEMP TABLE lists AS
WITH bodies AS (
  SELECT row_id, entity_id, body_hash,
    CASE WHEN json_type(json_extract(doc, '$.data')) IN ('ARRAY', 'OBJECT') THEN json_extract(doc, '$.data') ELSE doc END AS doc
  FROM batch
  WHERE doc IS NOT NULL
)
SELECT row_id, entity_id, body_hash, entity_id AS list, doc AS items, '$' AS path FROM bodies WHERE is_array_of_items(doc)
UNION ALL
SELECT row_id, entity_id, body_hash, e.key, e.value, '$.' || e.key
FROM (SELECT *, unnest(map_entries(TRY_CAST(doc AS MAP(VARCHAR, JSON)))) AS e FROM bodies WHERE NOT is_array_of_items(doc))
WHERE json_type(e.value) IN ('ARRAY', 'OBJECT');

INSERT INTO batch_rejects
SELECT row_id, 'no_lists', '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM lists);

CREATE OR REPLACE TEMP TABLE list_items AS
SELECT row_id, entity_id, body_hash, list, path || '[' || i || ']' AS path, item,
  CASE WHEN NOT json_repeats(item) THEN json_id(json_extract(item, '$.id')) END AS id, json_text(json_extract(item, '$.name')) AS name,
  json_text(json_extract(item, '$.short_name')) AS short_name, json_id(json_extract(item, '$.parent_id')) AS parent_id
FROM (
  SELECT *, unnest(json_items(items)) AS item, generate_subscripts(json_items(items), 1) - 1 AS i FROM lists
  WHERE is_array_of_items(items)
)
UNION ALL
SELECT row_id, entity_id, body_hash, list, path || '."' || e.key || '"', e.value, json_id(to_json(e.key)), json_text(e.value), NULL, NULL
FROM (
  SELECT *, unnest(map_entries(TRY_CAST(items AS MAP(VARCHAR, JSON)))) AS e FROM lists WHERE NOT is_array_of_items(items)
);

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN json_repeats(item) THEN 'duplicate_key' ELSE 'no_id' END, path, CAST(item AS VARCHAR)
FROM list_items
WHERE id IS NULL;

INSERT INTO ledger.nomenclature_items
SELECT entity_id, body_hash, list, id, max(name), max(short_name), max(parent_id)
FROM list_items
WHERE id IS NOT NULL
  AND (entity_id, body_hash) NOT IN (SELECT (entity_id, body_hash) FROM ledger.nomenclature_items)
GROUP BY ALL;
