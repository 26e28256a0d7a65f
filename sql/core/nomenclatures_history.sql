/*
model: core.nomenclatures_history
kind: table
version: 1
grain: span of time in which a list had an item as it is here
key: [source, list, id, valid_from]
description: >-
  The API's lookup lists, and from when to when each item was in them under that name. One that was taken out and put back, or
  renamed, has several rows.
columns:
  source: VARCHAR | v1 for the company lists, tenders for the tender lists (donors among them)
  list: VARCHAR | Name of the list
  id: BIGINT | Id within the list
  valid_from: TIMESTAMPTZ | When it was first read so
  valid_to: TIMESTAMPTZ | When it was first read without it, or otherwise; NULL while it stands
  is_current: BOOLEAN | True while it stands
  name: VARCHAR | Name
  short_name: VARCHAR | Short name (two letters for countries)
  parent_id: BIGINT | Id of the item above it in the same list
audits:
  - name: no_overlap
    severity: error
    sql: >-
      SELECT source, list, id, valid_from FROM core.nomenclatures_history
      WINDOW item AS (PARTITION BY source, list, id ORDER BY valid_from)
      QUALIFY coalesce(valid_to > lead(valid_from) OVER item, valid_to IS NULL AND lead(valid_from) OVER item IS NOT NULL)
*/
-- Two answers in one instant cannot be put in order; the same one of them counts every time.
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
  -- Donors are filed among the tender lists; a list that both routes tell is the tenders' own.
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
