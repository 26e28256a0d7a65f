-- Every column of the published file, with its comment and the comment of its table.
WITH counts AS (
  SELECT any_value(CAST(tables AS MAP(VARCHAR, BIGINT))) AS rows_of FROM meta.receipt
)

SELECT c.schema_name || '.' || c.table_name AS "table", t.comment AS description,
  counts.rows_of[c.schema_name || '.' || c.table_name] AS rows, c.column_name AS "column", c.data_type AS type, c.comment
FROM duckdb_columns() AS c
JOIN (
  SELECT database_name, schema_name, table_name, comment FROM duckdb_tables()
  UNION ALL
  SELECT database_name, schema_name, view_name, comment FROM duckdb_views()
) AS t USING (database_name, schema_name, table_name)
CROSS JOIN counts
-- The schema base is not promised to readers.
WHERE NOT c.internal AND c.database_name = current_database() AND c.schema_name <> 'base'
ORDER BY list_position(['core', 'marts', 'ops', 'meta'], c.schema_name), c.table_name, c.column_index
