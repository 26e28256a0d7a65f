-- Runs after _shapes.sql. Adds the fields and types of v1 reports and of their indicators to `batch_shapes`. The names
-- of indicators are data and not fields, so they are not listed.
INSERT INTO batch_shapes
WITH bodies AS (
  SELECT row_id, run, observed_at, request_route(request_key) AS route, doc FROM batch WHERE doc IS NOT NULL
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
  SELECT route, run, row_id, observed_at, ['reports', NULL, name] AS parts, json_first_type(start) AS structure FROM members
  UNION ALL
  SELECT route, run, row_id, observed_at, ['reports', NULL], '{}' FROM reports WHERE members IS NOT NULL
  UNION ALL
  -- Combine the structures of all indicators in a body. A body has hundreds of indicators, but only a few different
  -- structures.
  SELECT route, run, row_id, observed_at, ['reports', NULL, 'indicators', '.*'],
    CAST(json_extract(json_structure(to_json(json_extract(doc, '$.reports[*].indicators.*'))), '$[0]') AS VARCHAR)
  FROM bodies
)
SELECT route, run, parts, CAST(structure AS JSON), count(DISTINCT row_id), min(observed_at), max(observed_at)
FROM findings
GROUP BY ALL;
