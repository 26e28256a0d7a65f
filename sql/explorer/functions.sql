-- Functions for completion: those of the published file first, then those of DuckDB.
WITH found AS (
  SELECT CASE WHEN internal THEN function_name ELSE schema_name || '.' || function_name END AS name, internal,
    coalesce(comment, description) AS description, parameters
  FROM duckdb_functions()
  WHERE (NOT internal AND database_name = current_database())
    OR (internal AND function_type IN ('scalar', 'aggregate', 'macro') AND regexp_matches(function_name, '^[a-z][a-z0-9_]*$'))
)

SELECT name, any_value(description) AS description, any_value(parameters) AS parameters
FROM found
GROUP BY name, internal
ORDER BY internal, name
