import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';

// They name runs, times or files, which differ between two runs.
const DIFFERENT = /(^|_)(run|run_id|at|hash|file|part|date|on|from|to|since|until|observed|loaded|seconds)($|_)/;

/**
 * Compares the tables core.* and marts.* of two published files, row for row, without columns of times and runs.
 * @returns the tables that differ, with the number of different rows
 */
export async function differentTables(left: string, right: string): Promise<string[]> {
  return withMemory('a test', async (db) => {
    await db.run(`ATTACH ${quote(left)} AS a (READ_ONLY)`);
    await db.run(`ATTACH ${quote(right)} AS b (READ_ONLY)`);
    const columns = await db.rows<{ name: string; column: string; type: string }>(
      `SELECT c.schema_name || '.' || c.table_name AS name, c.column_name AS column, c.data_type AS type
       FROM duckdb_columns() AS c
       WHERE c.database_name = 'a' AND c.schema_name IN ('core', 'marts') ORDER BY ALL`,
    );
    const tables = new Map<string, string[]>();
    for (const { name, column, type } of columns)
      if (!/TIMESTAMP|DATE/.test(type) && !DIFFERENT.test(column))
        tables.set(name, [...(tables.get(name) ?? []), `"${column}"`]);
    const different: string[] = [];
    for (const [name, kept] of tables) {
      const [a, b] = ['a', 'b'].map((database) => `SELECT ${kept.join(', ')} FROM ${database}.${name}`);
      const rows = await db.count(`SELECT count(*) FROM ((${a} EXCEPT ALL ${b}) UNION ALL (${b} EXCEPT ALL ${a}))`);
      if (rows > 0) different.push(`${name}: ${rows}`);
    }
    if (tables.size < 20) throw new Error(`only ${tables.size} tables were compared`);
    return different;
  });
}
