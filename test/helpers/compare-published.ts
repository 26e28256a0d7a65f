import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { currentLink, deltaOf, fileOf, lakeOf } from '../../src/core/data-folder.js';
import { identifier, quote } from '../../src/duckdb/sql-files.js';
import type { DeltaIndex } from '../../src/publish/publish-delta.js';
import type { Warehouse } from '../../src/duckdb/open.js';
import { readBuiltModels } from '../../src/models/built-models.js';

/**
 * Compares the published DuckDB file and the published lake with the tables that a full publication would write now.
 * @returns tables with rows that differ, as `table: number of rows`
 */
export async function findDifferences({ db }: Warehouse, dataDir: string): Promise<string[]> {
  const build = realpathSync(currentLink(dataDir));
  const differences: string[] = [];
  await db.run(`ATTACH ${quote(fileOf(build))} AS published (READ_ONLY)`);
  try {
    for (const { model } of await readBuiltModels(db)) {
      for (const [place, rows] of [
        ['file', `SELECT * FROM published.${model}`],
        ['lake', lakeQuery(build, model)],
      ]) {
        const found = await db.count(
          `SELECT count(*) FROM (
            (FROM ${model} EXCEPT ALL ${rows}) UNION ALL (${rows} EXCEPT ALL FROM ${model}))`,
        );
        if (found > 0) differences.push(`${model} in the ${place}: ${found}`);
      }
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

/** The query of docs/querying.md for the current rows of a table in the lake. */
export function lakeQuery(build: string, table: string): string {
  const files = quote(path.join(lakeOf(build), ...table.split('.'), '*.parquet'));
  const index = path.join(deltaOf(build), '_current.json');
  const { tables } = existsSync(index)
    ? (JSON.parse(readFileSync(index, 'utf8')) as DeltaIndex)
    : { tables: {} as DeltaIndex['tables'] };
  const delta = tables[table];
  if (delta === undefined) return `SELECT * FROM read_parquet(${files})`;
  const changed = `read_parquet(${quote(path.join(deltaOf(build), ...table.split('.'), '*.parquet'))})`;
  const key = delta.key.map(identifier);
  const sameKey = key.map((name) => `l.${name} IS NOT DISTINCT FROM d.${name}`).join(' AND ');
  return `(SELECT l.* FROM read_parquet(${files}) AS l WHERE NOT EXISTS (FROM ${changed} AS d WHERE ${sameKey})
    UNION ALL BY NAME
    SELECT * EXCLUDE (_removed, _version) FROM (
      FROM ${changed} QUALIFY _version = max(_version) OVER (PARTITION BY ${key.join(', ')})
    ) WHERE NOT _removed)`;
}
