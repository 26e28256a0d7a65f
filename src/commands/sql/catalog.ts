import type { Published } from '../../builds/published.js';

/** A table of the published file with its columns. */
export interface CatalogTable {
  /** Name with schema, such as `core.companies`. */
  table: string;
  comment: string | null;
  columns: { name: string; type: string; comment: string | null }[];
}

/** What a person can name in a query. */
export interface Catalog {
  tables: CatalogTable[];
  /** Names of functions of the published file, such as `core.companies_as_of`. */
  functions: string[];
}

/** Reads the tables, columns and functions of the published file, sorted by name. */
export async function readCatalog(published: Published): Promise<Catalog> {
  const columns = await published.objects<{ table: string; name: string; type: string; comment: string | null }>(
    `SELECT schema_name || '.' || table_name AS "table", column_name AS name, data_type AS type, comment
     FROM duckdb_columns() WHERE NOT internal AND database_name = current_database() ORDER BY "table", column_index`,
  );
  const tables = await published.objects<{ table: string; comment: string | null }>(
    `SELECT schema_name || '.' || table_name AS "table", comment FROM duckdb_tables() WHERE database_name = current_database()
     UNION SELECT schema_name || '.' || view_name, comment FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
     ORDER BY 1`,
  );
  const functions = await published.objects<{ name: string }>(
    `SELECT DISTINCT schema_name || '.' || function_name AS name FROM duckdb_functions()
     WHERE NOT internal AND database_name = current_database() ORDER BY name`,
  );
  return {
    tables: tables.map(({ table, comment }) => ({
      table,
      comment,
      columns: columns
        .filter((column) => column.table === table)
        .map(({ name, type, comment: told }) => ({ name, type, comment: told })),
    })),
    functions: functions.map(({ name }) => name),
  };
}
