import type { Database } from '../duckdb/database.js';
import type { StoredTable } from '../../store/versions.js';

/** Reads the columns of all tables and views, by name of the table. */
export async function readColumns(db: Database): Promise<Map<string, StoredTable['columns']>> {
  const rows = await db.rows<{ table: string; name: string; type: string }>(
    `SELECT schema_name || '.' || table_name AS table, column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE NOT internal AND database_name = current_database() ORDER BY 1, column_index`,
  );
  const tables = new Map<string, StoredTable['columns']>();
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}
