-- Every column of the published file, with its comment and the comment of its table.
WITH counts AS (
  SELECT any_value(CAST(tables AS MAP(VARCHAR, BIGINT))) AS rows_of FROM meta.receipt
)

SELECT c.schema_name || '.' || c.table_name AS "table", t.comment AS description,
  counts.rows_of[c.schema_name || '.' || c.table_name] AS rows, c.column_name AS "column", c.data_type AS type, c.comment
FROM duckdb_columns() AS c
JOIN duckdb_tables() AS t ON t.table_oid = c.table_oid AND t.database_name = c.database_name
CROSS JOIN counts
WHERE NOT c.internal AND c.database_name = current_database()
ORDER BY list_position(['core', 'marts', 'ops', 'meta'], c.schema_name), c.table_name, c.column_index
