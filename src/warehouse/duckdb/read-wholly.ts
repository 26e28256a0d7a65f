import type { Database } from './database.js';
import { identifier } from './sql-files.js';

/**
 * Reads each value of each table, so that DuckDB compares the checksum of each block. Blocks of indexes are not read.
 * @throws DamagedFileError when a block is damaged
 */
export async function readWholly(db: Pick<Database, 'rows'>): Promise<void> {
  const tables = await db.rows<{ schema: string; name: string }>(
    'SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE NOT temporary AND NOT internal',
  );
  for (const { schema, name } of tables)
    await db.rows(`SELECT bit_xor(hash(t)) AS read FROM ${identifier(schema)}.${identifier(name)} AS t`);
}
