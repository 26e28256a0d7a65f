import { realpathSync } from 'node:fs';
import path from 'node:path';
import { currentLink, fileOf, lakeOf, warehouseFile } from '../../src/store/data-folder.js';
import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';

/**
 * Compares the published DuckDB file with the closed warehouse, and the published lake with the DuckDB file.
 * @returns tables with rows that differ, as `table in the place: number of rows`
 */
export async function findDifferences(dataDir: string): Promise<string[]> {
  const build = realpathSync(currentLink(dataDir));
  return withMemory('a comparison', async (db) => {
    await db.run(`ATTACH ${quote(warehouseFile(dataDir))} AS warehouse (READ_ONLY)`);
    await db.run(`ATTACH ${quote(fileOf(build))} AS published (READ_ONLY)`);
    const [receipt] = await db.rows<{ tables: string }>('SELECT tables FROM published.meta.receipt');
    const counts = Object.entries(JSON.parse(receipt?.tables ?? '{}') as Record<string, number>);
    if (counts.length < 5) throw new Error(`The receipt names only ${counts.length} tables.`);
    const differences: string[] = [];
    for (const [table, rows] of counts) {
      const file = `FROM published.${table}`;
      const lake = `FROM read_parquet(${quote(path.join(lakeOf(build), ...table.split('.'), '*.parquet'))})`;
      const pairs = { lake, ...(table === 'meta.receipt' ? {} : { warehouse: `FROM warehouse.${table}` }) };
      for (const [place, other] of Object.entries(pairs)) {
        const different = await db.count(
          `SELECT count(*) FROM ((${file} EXCEPT ALL ${other}) UNION ALL (${other} EXCEPT ALL ${file}))`,
        );
        if (different > 0) differences.push(`${table} in the ${place}: ${different}`);
      }
      if ((await db.count(`SELECT count(*) ${file}`)) !== rows) differences.push(`${table}: the receipt says ${rows}`);
    }
    return differences;
  });
}
