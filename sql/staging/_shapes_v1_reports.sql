-- Runs after _shapes.sql. Adds the fields and types of v1 reports and of their indicators to `batch_shapes`. The names
-- of indicators are data and not fields, so they are not listed.
INSERT INTO batch_shapes
WITH bodies AS (
  SELECT
    row_id,
    run,
    observed_at,
    regexp_replace(regexp_extract(request_key, '^\S+ [^ ?]+'), '/[0-9]+', '/{id}', 'g') AS route,
    doc
  FROM batch
  WHERE doc IS NOT NULL
),
reports AS (
  SELECT * EXCLUDE (doc), TRY_CAST(unnest(json_items(json_extract(doc, '$.reports'))) AS MAP(VARCHAR, JSON)) AS members
  FROM bodies
),
members AS (
  SELECT * EXCLUDE (members), unnest(map_keys(members)) AS name, CAST(unnest(map_values(members)) AS VARCHAR)[1] AS start
  FROM reports
),
findings AS (
  SELECT route, run, row_id, observed_at, 'report' AS level, name, json_first_type(start) AS structure FROM members
  UNION ALL
  -- Combine the structures of all indicators in a body. A body has hundreds of indicators, but only a few different
  -- structures.
  SELECT route, run, row_id, observed_at, 'indicators', NULL,
    CAST(json_extract(json_structure(to_json(json_extract(doc, '$.reports[*].indicators.*'))), '$[0]') AS VARCHAR)
  FROM bodies
),
grouped AS (
  SELECT route, run, level, name, structure, count(DISTINCT row_id) AS bodies, min(observed_at) AS first_seen,
    max(observed_at) AS last_seen
  FROM findings
  GROUP BY ALL
)
FROM grouped
-- Keep at most 5,000 findings of each run and route. With a limit per run, the result does not depend on which runs are
-- loaded together.
QUALIFY row_number() OVER (PARTITION BY route, run ORDER BY bodies DESC, name, structure) <= 5000;
