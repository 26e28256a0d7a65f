import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { currentLink, deltaOf, fileOf, lakeOf } from '../../src/store/data-folder.js';
import { identifier, quote } from '../../src/warehouse/duckdb/sql-files.js';
import type { DeltaIndex } from '../../src/warehouse/builds/lake-index.js';
import type { Warehouse } from '../../src/warehouse/duckdb/open.js';
import { readBuiltModels } from '../../src/warehouse/models/built-models.js';

/**
 * Compares the published DuckDB file and the published lake with the tables that a full publication would write now.
 * @returns tables with rows that differ, as `table: number of rows`
 */
export async function findDifferences({ db }: Warehouse, dataDir: string): Promise<string[]> {
  const build = realpathSync(currentLink(dataDir));
  const differences: string[] = [];
  const published = new Map<string, number>();
  await db.run(`ATTACH ${quote(fileOf(build))} AS published (READ_ONLY)`);
  try {
    for (const { model } of await readBuiltModels(db)) {
      const places = { file: `SELECT * FROM published.${model}`, lake: lakeQuery(build, model) };
      const counts = await countRows(db, { own: `FROM ${model}`, ...places });
      published.set(model, counts.file);
      for (const place of ['file', 'lake'] as const) {
        const found = await countDifferent(db, [`FROM ${model}`, counts.own], [places[place], counts[place]]);
        if (found > 0) differences.push(`${model} in the ${place}: ${found}`);
      }
    }
    const told = await db.rows<{ name: string; rows: string }>(
      `SELECT unnest(map_keys(counts)) AS name, unnest(map_values(counts)) AS rows
       FROM (SELECT CAST(tables AS MAP(VARCHAR, BIGINT)) AS counts FROM published.meta.receipt)`,
    );
    for (const { name, rows } of told)
      if ((published.get(name) ?? (await db.count(`SELECT count(*) FROM published.${name}`))) !== Number(rows))
        differences.push(`${name}: the receipt says ${rows}`);
  } finally {
    await db.run('DETACH published');
  }
  return differences;
}

async function countRows<Name extends string>(
  db: Warehouse['db'],
  queries: Record<Name, string>,
): Promise<Record<Name, number>> {
  const counts = Object.entries<string>(queries).map(([name, sql]) => `(SELECT count(*) FROM (${sql})) AS ${name}`);
  const [row] = await db.rows<Record<Name, string>>(`SELECT ${counts.join(', ')}`);
  return Object.fromEntries(Object.entries<string>(row ?? {}).map(([name, rows]) => [name, Number(rows)])) as Record<
    Name,
    number
  >;
}

/**
 * Number of rows that only one of two queries returns. If one of them returns no row, only checks that their columns
 * fit, which is much faster.
 */
async function countDifferent(
  db: Warehouse['db'],
  [left, leftRows]: [sql: string, rows: number],
  [right, rightRows]: [sql: string, rows: number],
): Promise<number> {
  if (leftRows === 0 || rightRows === 0) return db.count(`SELECT count(*) FROM (${left} UNION ALL ${right})`);
  const onlyLeft = await db.count(`SELECT count(*) FROM (${left} EXCEPT ALL ${right})`);
  return onlyLeft + rightRows - (leftRows - onlyLeft);
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
