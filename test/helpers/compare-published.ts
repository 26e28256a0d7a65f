import { realpathSync } from 'node:fs';
import { publishedFile } from '../../src/core/data-folder.js';
import { quote } from '../../src/duckdb/sql-files.js';
import type { Warehouse } from '../../src/duckdb/open.js';
import { readBuiltModels } from '../../src/models/built-models.js';

/**
 * Compares the published file with the tables that a full publication would write now.
 * @returns tables with rows that differ, as `table: number of rows`
 */
export async function findDifferences({ db }: Warehouse, dataDir: string): Promise<string[]> {
  const differences: string[] = [];
  await db.run(`ATTACH ${quote(realpathSync(publishedFile(dataDir)))} AS published (READ_ONLY)`);
  try {
    for (const { model } of await readBuiltModels(db)) {
      const rows = await db.count(
        `SELECT count(*) FROM (
          (FROM ${model} EXCEPT ALL FROM published.${model}) UNION ALL (FROM published.${model} EXCEPT ALL FROM ${model}))`,
      );
      if (rows > 0) differences.push(`${model}: ${rows}`);
    }
    const told = await db.rows<{ name: string; rows: string }>(
      `SELECT unnest(map_keys(counts)) AS name, unnest(map_values(counts)) AS rows
       FROM (SELECT CAST(tables AS MAP(VARCHAR, BIGINT)) AS counts FROM published.meta.receipt)`,
    );
    for (const { name, rows } of told)
      if ((await db.count(`SELECT count(*) FROM published.${name}`)) !== Number(rows))
        differences.push(`${name}: the receipt says ${rows}`);
  } finally {
    await db.run('DETACH published');
  }
  return differences;
}
