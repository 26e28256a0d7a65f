-- Runs after the files that create `batch_shapes`. Compares the findings with the reference (seed_fields). Writes the bodies
-- and declared fields of the batch to ledger.shapes, and what is not as declared to `batch_drift`.
CREATE OR REPLACE TEMP TABLE shape_nodes AS
WITH declared AS MATERIALIZED (
  FROM seed_fields WHERE stream = getvariable('stream')
),
nodes AS (
  SELECT
    CASE WHEN list_contains(getvariable('routes'), route) THEN route ELSE getvariable('routes')[1] END AS route,
    run,
    unnest(from_json(
      drift_nodes(CAST(to_json(parts) AS VARCHAR), CAST(structure AS VARCHAR)),
      '[{"path": "VARCHAR", "parent": "VARCHAR", "parts": ["VARCHAR"], "type": "VARCHAR"}]'
    ), recursive := true),
    bodies,
    first_seen,
    last_seen
  FROM (
    FROM batch_shapes
    -- Keep at most 5,000 findings of each run and route. With a limit per run, the result does not depend on which runs
    -- are loaded together.
    QUALIFY row_number() OVER (PARTITION BY route, run ORDER BY bodies DESC, parts, structure) <= 5000
  )
)
SELECT n.*, d.path IS NOT NULL AS is_declared, coalesce(d.personal, p.personal) AS personal,
  is_declared AND (d.types = [] OR n.type = 'null' OR list_contains(d.types, n.type)
    -- `mixed` means several types or an empty object. If the reference declares several types, several types are allowed;
    -- ops.rejects lists the wrong values. If the reference declares an object, an empty object is allowed.
    OR (n.type = 'mixed' AND (len(d.types) > 1 OR list_contains(d.types, 'object')))) AS is_allowed
FROM nodes AS n
LEFT JOIN declared AS d ON d.route = n.route AND d.path = n.path
LEFT JOIN declared AS p ON p.route = n.route AND p.path = n.parent
-- Nothing is compared inside a value that is not as declared.
WHERE is_declared
  OR (n.parts[-1] IS NOT NULL AND NOT p.open AND list_contains(p.types, 'object'));

INSERT INTO ledger.shapes
SELECT getvariable('stream'), route, run, path, CASE path WHEN '$' THEN 'bodies' ELSE 'seen' END, NULL, sum(bodies), min(first_seen),
  max(last_seen), NULL
FROM shape_nodes
WHERE is_declared
GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE batch_drift AS
SELECT route, run, path, CASE WHEN is_declared THEN 'changed type' ELSE 'new field' END AS kind, type, any_value(parts) AS parts,
  any_value(personal) AS personal, sum(bodies) AS bodies, min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM shape_nodes
-- The crawl adds the field tidemark_removed.
WHERE NOT is_allowed AND parts[-1] IS DISTINCT FROM 'tidemark_removed'
GROUP BY ALL;
