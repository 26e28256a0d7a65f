/*
model: core.nomenclatures
kind: table
version: 1
grain: item of a lookup list
key: [source, list, id]
description: The API's lookup lists, as last read.
columns:
  source: VARCHAR | Origin of the list, v1 (lists about companies) or tenders (lists about tenders, donors included)
  list: VARCHAR | Name of the list
  id: BIGINT | Id of the item within the list
  name: VARCHAR | Name of the item
  short_name: VARCHAR | Short name (two letters for countries); NULL if the API states none
  parent_id: BIGINT | Id of the parent item in the same list; NULL if it has none
*/
WITH latest AS (
  SELECT entity_id, max((observed_at, body_hash)) AS latest
  FROM ledger.observations
  WHERE stream = 'nomenclatures' AND readable
  GROUP BY entity_id
)

SELECT
  CASE WHEN i.entity_id = 'donors' THEN 'tenders' ELSE i.entity_id END AS source,
  i.list, i.id, max(i.name) AS name, max(i.short_name) AS short_name, max(i.parent_id) AS parent_id
FROM ledger.nomenclature_items AS i
JOIN latest AS l ON l.entity_id = i.entity_id AND l.latest[2] = i.body_hash
GROUP BY ALL
