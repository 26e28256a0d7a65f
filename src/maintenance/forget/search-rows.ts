import { formatCount } from '../../../schemas/format.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { identifier, quote } from '../../warehouse/duckdb/sql-files.js';
import type { ValueFinder } from '../../privacy/value-finder.js';

/* Searches files whose content may be compressed: DuckDB reads it. */

/** Searches the rows of a Parquet file. */
export async function searchParquet(
  db: Database,
  file: string,
  finder: ValueFinder,
  found: Set<string>,
): Promise<void> {
  await searchTable(db, `read_parquet(${quote(file)}, hive_partitioning = false)`, finder, found);
}

/**
 * Searches the tables of a DuckDB file.
 * @param isFresh whether the file was written after the removal. Other files may hold removed rows in free blocks, where
 * they may be compressed
 * @throws Error if the file is not fresh and has free blocks
 */
export async function searchDuckDb(
  db: Database,
  file: string,
  finder: ValueFinder,
  found: Set<string>,
  isFresh: boolean,
): Promise<void> {
  await db.run(`ATTACH ${quote(file)} AS searched (READ_ONLY)`);
  try {
    const tables = await db.rows<{ schema: string; name: string }>(
      `SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE database_name = 'searched'`,
    );
    for (const { schema, name } of tables) {
      await searchTable(db, `searched.${identifier(schema)}.${identifier(name)}`, finder, found);
    }
    const [size] = await db.rows<{ free: number }>(
      `SELECT CAST(free_blocks AS INTEGER) AS free FROM pragma_database_size() WHERE database_name = 'searched'`,
    );
    if (isFresh || size === undefined || size.free === 0) return;
    throw new Error(`removed rows may be in ${formatCount(size.free)} free blocks, which cannot be read`);
  } finally {
    await db.run('DETACH searched');
  }
}

// Column types that hold neither text nor an id.
const TEXTLESS = /^(DATE|TIME|TIMESTAMP.*|DOUBLE|FLOAT|BOOLEAN|INTERVAL|TINYINT|SMALLINT)$/;

/** Searches the rows of a table or table function. Values of several types are searched as text. */
export async function searchTable(db: Database, table: string, finder: ValueFinder, found: Set<string>): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE SELECT * FROM ${table}`);
  const columns = described.flatMap(({ column_name, column_type }) => {
    if (TEXTLESS.test(column_type)) return [];
    const isNested = /[[(]/.test(column_type) && !column_type.startsWith('DECIMAL');
    const column = identifier(column_name);
    return [`CAST(${isNested ? `to_json(${column})` : column} AS VARCHAR)`];
  });
  if (columns.length === 0) return;
  for await (const rows of db.stream(`SELECT concat_ws(chr(10), ${columns.join(', ')}) FROM ${table}`)) {
    finder.find(Buffer.from(rows.map(([text]) => String(text)).join('\n')), found);
  }
}
