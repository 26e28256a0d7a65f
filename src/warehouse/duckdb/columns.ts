import type { Database } from './database.js';
import type { TypedColumn } from './parquet-types.js';

/** Reads the columns of all tables and views that are not temporary, by name of the table with its schema. */
export async function readColumns(db: Database): Promise<Map<string, TypedColumn[]>> {
  // One row for each table: to convert a row for each column would take longer than the query.
  const rows = await db.rows<{ name: string; columns: string }>(
    `SELECT schema_name || '.' || table_name AS name,
       CAST(to_json(list({'name': column_name, 'type': data_type} ORDER BY column_index)) AS VARCHAR) AS columns
     FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() GROUP BY ALL ORDER BY ALL`,
  );
  return new Map(rows.map(({ name, columns }) => [name, JSON.parse(columns) as TypedColumn[]]));
}
