-- Runs after a stream's own staging file. Creates `batch_shapes`: the fields and types in the stream's bodies. Each
-- distinct finding is one row.
-- - `parts`: names of the fields that lead to the value. NULL stands for the items of an array, and `.*` for any name.
-- - `structure`: JSON in the format of json_structure. The content of a field is examined only if the reference declares
--   fields inside this field.
CREATE OR REPLACE TEMP TABLE batch_shapes AS
WITH bodies AS MATERIALIZED (
  SELECT
    run,
    observed_at,
    request_route(request_key) AS route,
    TRY_CAST(doc AS MAP(VARCHAR, JSON)) AS members,
    CASE WHEN members IS NULL THEN CAST(doc AS VARCHAR) ELSE '{' END AS text
  FROM batch
  WHERE doc IS NOT NULL
),
members AS (
  SELECT route, run, observed_at, unnest(map_keys(members)) AS name, CAST(unnest(map_values(members)) AS VARCHAR) AS v
  FROM bodies
),
findings AS (
  SELECT route, run, name, v[1] AS start, CASE WHEN v[1] IN ('{', '[') AND inside THEN v END AS inside_text,
    count(*) AS bodies, min(observed_at) AS first_seen, max(observed_at) AS last_seen
  FROM (
    SELECT *, list_contains((
      SELECT list(replace(parent, '[]', '')[3:]) FROM seed_fields
      -- _shapes_v1_reports.sql examines the content of v1 reports.
      WHERE stream = getvariable('stream') AND stream <> 'financials_v1'
    ), name) AS inside
    FROM members
  )
  GROUP BY ALL
  UNION ALL
  SELECT route, run, NULL, trim(text, E' \t\n\r')[1], NULL, count(*), min(observed_at), max(observed_at) FROM bodies GROUP BY ALL
)
SELECT route, run, CASE WHEN name IS NULL THEN [] ELSE [name] END AS parts,
  CASE WHEN inside_text IS NOT NULL THEN json_structure(CAST(inside_text AS JSON)) ELSE CAST(json_first_type(start) AS JSON) END
    AS structure,
  sum(bodies) AS bodies, min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM findings
GROUP BY ALL;
