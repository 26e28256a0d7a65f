/*
model: marts.owners
kind: table
version: 1
grain: direct or indirect owner in the answer about a company
key: [company_id, threshold, position]
description: >-
  The owners in the latest answer of each company, as a tree. An owner of the company has depth 1, an owner of this
  owner has depth 2. The API reference does not show how an answer looks. So the table has only owners that the answer
  lists under a common field name, with an id, a name or a type. core.owners.payload has the whole answer. A company
  without rows may have owners.
columns:
  company_id: BIGINT | Company
  threshold: DOUBLE | Smallest share that the request asked for, in percent
  position: VARCHAR | Place of the owner in the answer, as JSON path
  parent_position: VARCHAR | Place of the company that this owner owns directly; NULL at depth 1
  depth: INTEGER | 1 for an owner of the company, 2 for an owner of this owner, and so on; at most 30
  path: VARCHAR[] | Ids of the owners from the company to this owner; NULL for an owner without an id
  owner_id: VARCHAR | Id of the owner, as the API states it
  owner_name: VARCHAR | Name of the owner. For a person, NULL unless personalData is contacts
  owner_type: VARCHAR | Type of the owner, as the API states it
  country: VARCHAR | Country or nationality of the owner, as the API states it
  effective_share: DOUBLE | Share of the company through all chains of owners, as the API states it. The reference does not state the unit
  direct_share: DOUBLE | Share of the next company on the path, as the API states it. The reference does not state the unit
  is_natural_person: BOOLEAN | Whether the owner is a person; NULL if the answer does not say so clearly
  is_cycle: BOOLEAN | True if the same owner is already on the path. Its owners are not followed
audits:
  - name: every_parent_exists
    severity: error
    sql: >-
      SELECT position FROM marts.owners AS o
      WHERE parent_position IS NOT NULL AND NOT EXISTS (
        FROM marts.owners AS p WHERE p.company_id = o.company_id AND p.threshold = o.threshold AND p.position = o.parent_position
      )
  - name: share_not_parsed
    severity: warn
    sql: >-
      SELECT company_id, threshold, position, text AS example
      FROM (
        SELECT o.company_id, o.threshold, o.position, unnest(list_concat(
          CASE WHEN o.effective_share IS NULL THEN owner_effective_share_texts(json_extract(c.payload, o.position)) ELSE [] END,
          CASE WHEN o.direct_share IS NULL THEN owner_direct_share_texts(json_extract(c.payload, o.position)) ELSE [] END
        )) AS text
        FROM marts.owners AS o
        JOIN core.owners AS c USING (company_id, threshold)
      )
*/
WITH RECURSIVE walk AS (
  SELECT
    company_id,
    threshold,
    'answer' AS part,
    payload AS node,
    '$' AS position,
    CAST(NULL AS VARCHAR) AS parent_position,
    0 AS depth,
    CAST([] AS VARCHAR[]) AS path,
    -- A company and a person may have the same id. So detect a cycle by both id and kind.
    ['false ' || company_id] AS seen,
    false AS is_cycle
  FROM core.owners
  WHERE json_type(payload) = 'OBJECT'

  UNION ALL

  -- An answer contains lists of owners, possibly inside an object. An owner may contain a list of the owners of that
  -- owner.
  SELECT
    company_id,
    threshold,
    next_part,
    value,
    next_position,
    CASE WHEN part = 'owner' THEN position ELSE parent_position END,
    CASE WHEN next_part = 'owner' THEN depth + 1 ELSE depth END,
    CASE WHEN next_part = 'owner' THEN list_append(path, owner_id(value)) ELSE path END,
    CASE WHEN next_part = 'owner' THEN list_append(seen, mark) ELSE seen END,
    next_part = 'owner' AND coalesce(list_contains(seen, mark), false)
  FROM (
    SELECT
      w.*,
      e.value,
      w.position || CASE w.part WHEN 'list' THEN '[' || e.key || ']' ELSE '.' || e.key END AS next_position,
      owner_is_person(e.value) || ' ' || owner_id(e.value) AS mark,
      CASE
        WHEN w.part = 'list' AND e.type = 'OBJECT' THEN 'owner'
        WHEN w.part = 'answer' AND e.type = 'OBJECT' AND owner_key(e.key) IN ('data', 'result', 'report', 'ownership', 'ubo')
        THEN 'answer'
        WHEN w.part = 'answer' AND e.type = 'ARRAY'
          AND owner_key(e.key) IN ('owners', 'beneficialowners', 'ultimatebeneficialowners', 'ultimateowners', 'ubos', 'ubo', 'shareholders')
        THEN 'list'
        WHEN w.part = 'owner' AND e.type = 'ARRAY' AND owner_key(e.key) IN ('owners', 'beneficialowners', 'shareholders', 'ownedby', 'heldby')
        THEN 'list'
        WHEN w.part = 'owner' AND e.type = 'OBJECT' AND owner_key(e.key) IN ('ownedby', 'heldby') THEN 'owner'
      END AS next_part
    FROM walk AS w, json_each(w.node) AS e
    WHERE NOT w.is_cycle AND w.depth < 30
  )
  -- If an owner has none of the usual facts about an owner (id, name, type), neither this owner nor the owners below
  -- get a row.
  WHERE next_part <> 'owner' OR coalesce(owner_id(value), owner_name(value), owner_type(value)) IS NOT NULL
)

SELECT
  company_id,
  threshold,
  position,
  parent_position,
  depth,
  CASE WHEN owner_id(node) IS NOT NULL THEN path END AS path,
  owner_id(node) AS owner_id,
  owner_name(node) AS owner_name,
  owner_type(node) AS owner_type,
  owner_country(node) AS country,
  owner_effective_share(node) AS effective_share,
  owner_direct_share(node) AS direct_share,
  owner_is_person(node) AS is_natural_person,
  is_cycle
FROM walk
WHERE part = 'owner'
