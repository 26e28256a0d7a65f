/*
model: core.nomenclatures_history
kind: table
version: 1
grain: period in which a lookup list had an item unchanged
key: [source, list, id, valid_from]
description: >-
  Items of the API's lookup lists, with the period in which each one was listed unchanged. An item that was renamed, or
  removed and added again, has several rows.
columns:
  source: VARCHAR | Origin of the list, v1 (lists about companies) or tenders (lists about tenders, donors included)
  list: VARCHAR | Name of the list
  id: BIGINT | Id of the item within the list
  valid_from: TIMESTAMPTZ | When the item was first read in this form
  valid_to: TIMESTAMPTZ | When the item was first changed or missing in the list; NULL while it is listed unchanged
  is_current: BOOLEAN | True while the list has the item in this form
  name: VARCHAR | Name of the item
  short_name: VARCHAR | Short name (two letters for countries); NULL if the API states none
  parent_id: BIGINT | Id of the parent item in the same list; NULL if it has none
audits:
  - name: no_overlap
    severity: error
    sql: >-
      SELECT source, list, id, valid_from FROM core.nomenclatures_history
      WINDOW item AS (PARTITION BY source, list, id ORDER BY valid_from)
      QUALIFY coalesce(valid_to > lead(valid_from) OVER item, valid_to IS NULL AND lead(valid_from) OVER item IS NOT NULL)
*/
-- Answers with the same time have no order. Choose one by its hash, so that every build chooses the same answer.
WITH read AS (
  SELECT entity_id, observed_at, max(body_hash) AS body_hash
  FROM ledger.observations
  WHERE stream = 'nomenclatures' AND readable
  GROUP BY ALL
),

answers AS (
  SELECT entity_id, body_hash, observed_at, row_number() OVER answer AS n, lead(observed_at) OVER answer AS next_at
  FROM read
  WINDOW answer AS (PARTITION BY entity_id ORDER BY observed_at)
),

items AS (
  SELECT a.entity_id, a.n, a.observed_at, a.next_at, i.list, i.id, max(i.name) AS name, max(i.short_name) AS short_name,
    max(i.parent_id) AS parent_id
  FROM answers AS a
  JOIN ledger.nomenclature_items AS i USING (entity_id, body_hash)
  -- Donors belong to the tender lists. If both routes return a list, use the list of the tender route.
  WHERE entity_id <> 'donors' OR i.list NOT IN (SELECT list FROM ledger.nomenclature_items WHERE entity_id = 'tenders')
  GROUP BY ALL
),

spans AS (
  SELECT *, n - row_number() OVER (PARTITION BY entity_id, list, id, name, short_name, parent_id ORDER BY n) AS span
  FROM items
)

SELECT
  CASE WHEN entity_id = 'donors' THEN 'tenders' ELSE entity_id END AS source,
  list, id, min(observed_at) AS valid_from,
  CASE WHEN bool_and(next_at IS NOT NULL) THEN max(next_at) END AS valid_to,
  bool_or(next_at IS NULL) AS is_current,
  name, short_name, parent_id
FROM spans
GROUP BY entity_id, list, id, name, short_name, parent_id, span
