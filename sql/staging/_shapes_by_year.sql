-- Creates `batch_shapes` for v2 reports, which have years instead of fields on the first level. Findings are indicators
-- that the reference does not list, and values that staging rejected because of their type. `structure` is NULL for an
-- indicator that the reference does not list: _shapes_drift.sql takes its type from the first value.
CREATE OR REPLACE TEMP TABLE batch_shapes AS
WITH bodies AS (
  SELECT
    b.row_id,
    b.run,
    b.observed_at,
    request_route(b.request_key) AS route,
    json_first_type(coalesce(left(r.raw, 20), '{')) AS structure
  FROM batch AS b
  LEFT JOIN batch_rejects AS r ON r.row_id = b.row_id AND r.path = '$'
  WHERE b.fault IS NULL AND coalesce(r.reason, '') NOT IN ('not_json', 'bad_entity_id', 'too_many_years')
),
names AS (
  SELECT route, run, row_id, observed_at, unnest(flatten(json_keys(json_read(p.body), '$.*'))) AS name
  FROM (SELECT row_id, body FROM parts) AS p
  JOIN bodies USING (row_id)
),
wrong AS (
  SELECT DISTINCT b.route, b.run, b.row_id, b.observed_at, json_first_type(r.raw) AS structure,
    regexp_extract(r.path, '^\$\."[^"]*"\."([^"\\]*)"$', 1) AS name
  FROM batch_rejects AS r
  JOIN bodies AS b USING (row_id)
  WHERE r.path <> '$' AND r.reason IN ('wrong_type', 'not_an_object')
),
findings AS (
  SELECT DISTINCT route, run, row_id, observed_at, ['.*', name] AS parts, CAST(NULL AS VARCHAR) AS structure
  FROM names
  ANTI JOIN seed_indicators ON indicator = name
  UNION ALL
  SELECT route, run, row_id, observed_at, CASE WHEN name <> '' THEN ['.*', name] ELSE ['.*'] END, structure
  FROM wrong
  WHERE name = '' OR name IN (SELECT indicator FROM seed_indicators)
  UNION ALL
  SELECT route, run, row_id, observed_at, [], structure FROM bodies
)
SELECT route, run, parts, CAST(structure AS JSON) AS structure, count(*) AS bodies, min(observed_at) AS first_seen, max(observed_at) AS last_seen
FROM findings
GROUP BY ALL;
