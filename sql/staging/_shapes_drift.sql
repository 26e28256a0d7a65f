-- Runs after _shapes_end.sql if `batch_drift` has rows. Writes them to ledger.shapes, each with a sample value.
--
-- If an API used ids as keys, the list of new fields would have no limit. So a batch lists at most 100 of them for each run
-- and route, and all runs list at most 1,000 for each route. The row `$.…` counts the others.
CREATE OR REPLACE TEMP TABLE listed_drift AS
WITH first_fields AS (
  SELECT *, row_number() OVER (PARTITION BY route, run, kind ORDER BY first_seen, path, type) AS n FROM batch_drift
),
known AS (
  SELECT DISTINCT route, path
  FROM ledger.shapes
  WHERE stream = getvariable('stream') AND kind = 'new field' AND path <> '$.…'
),
judged AS (
  SELECT f.*,
    kind = 'changed type' OR (
      n <= 100
      AND (
        k.path IS NOT NULL
        OR dense_rank() OVER (PARTITION BY route, kind, n <= 100, k.path IS NULL ORDER BY path)
          <= 1000 - (SELECT count(*) FROM known WHERE route = f.route)
      )
    ) AS is_listed
  FROM first_fields AS f
  LEFT JOIN known AS k USING (route, path)
)
SELECT *, row_number() OVER () AS id FROM judged WHERE is_listed
UNION ALL BY NAME
SELECT route, run, '$.…' AS path, kind, 'mixed' AS type, true AS personal, sum(bodies) AS bodies, min(first_seen) AS first_seen,
  max(last_seen) AS last_seen
FROM judged
WHERE NOT is_listed
GROUP BY ALL;

-- Bodies from which the samples come: those received when a difference was first seen, at most 10 for each time.
CREATE OR REPLACE TEMP TABLE first_bodies AS
SELECT observed_at, body_hash, json_read(body) AS doc
FROM parts
JOIN (
  SELECT row_id, observed_at, body_hash
  FROM batch
  WHERE fault IS NULL AND observed_at IN (SELECT first_seen FROM listed_drift)
  QUALIFY row_number() OVER (PARTITION BY observed_at ORDER BY body_hash) <= 10
) USING (row_id)
WHERE length(body) < 1000000;

-- Reads each body once, however many differences it has: `members` has what is one step inside a body.
CREATE OR REPLACE TEMP TABLE first_values AS
WITH RECURSIVE wanted AS (
  SELECT id, first_seen AS observed_at, parts
  FROM listed_drift
  WHERE type IS NULL OR (type IN ('string', 'number', 'boolean') AND NOT personal)
),
named AS MATERIALIZED (
  SELECT observed_at, body_hash, unnest(map_keys(members)) AS name, unnest(map_values(members)) AS value,
    generate_subscripts(map_keys(members), 1) AS nth
  FROM (SELECT *, TRY_CAST(doc AS MAP(VARCHAR, JSON)) AS members FROM first_bodies)
),
members AS (
  FROM named
  UNION ALL
  SELECT * REPLACE ('.*' AS name) FROM named
  UNION ALL
  SELECT observed_at, body_hash, NULL, unnest(json_items(doc)), generate_subscripts(json_items(doc), 1) FROM first_bodies
),
inside AS (
  SELECT id, body_hash, CAST([] AS VARCHAR[]) AS parts, doc AS value, CAST([] AS BIGINT[]) AS place
  FROM wanted
  JOIN first_bodies USING (observed_at)
  WHERE parts = []
  UNION ALL
  SELECT w.id, m.body_hash, w.parts[2:], m.value, [m.nth]
  FROM wanted AS w
  JOIN members AS m ON m.observed_at = w.observed_at AND m.name IS NOT DISTINCT FROM w.parts[1]
  WHERE w.parts <> []
  UNION ALL
  SELECT id, body_hash, parts[2:], unnest(items), list_append(place, generate_subscripts(items, 1))
  FROM (SELECT *, json_step(value, parts[1]) AS items FROM inside WHERE parts <> [] AND value IS NOT NULL)
)
SELECT id, body_hash, place, value,
  CASE json_type(value) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' ELSE 'number' END AS type
FROM inside
WHERE parts = [] AND value IS NOT NULL;

UPDATE listed_drift AS d
SET type = (SELECT arg_min(v.type, (v.body_hash, v.place)) FROM first_values AS v WHERE v.id = d.id)
WHERE type IS NULL;

-- The smallest of the first values of simultaneous bodies, so that the size of a batch does not change the sample. A field
-- that the reference does not describe may be about a person.
INSERT INTO ledger.shapes
WITH samples AS (
  SELECT d.id, CAST(arg_min(v.value, v.place) AS VARCHAR) AS sample
  FROM listed_drift AS d
  JOIN first_values AS v USING (id, type)
  WHERE NOT d.personal AND type IN ('string', 'number', 'boolean')
    AND NOT regexp_matches(d.path, '(?i)person|people|contact|director|executive|employee_|officer|owner|signator|mail|phone|mobile|birth|gender|(first|last|full|middle)_?name')
  GROUP BY d.id, v.body_hash
)
SELECT getvariable('stream'), route, run, path, kind, type, bodies, first_seen, last_seen,
  text_visible(min(CASE WHEN length(sample) > 60 THEN left(sample, 60) || '…' ELSE sample END) FILTER (NOT contains(sample, '@')))
FROM listed_drift
LEFT JOIN samples USING (id)
GROUP BY ALL;
