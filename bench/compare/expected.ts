import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { World } from '../../sandbox/world/index.js';
import type { Outcome } from './contender.js';

/** How the rows of a contender differ from the market. */
export interface Difference {
  companies: number;
  values: number;
  /** Companies and values of the market that the contender does not have. */
  missingCompanies: number;
  missingValues: number;
  /** Rows of the contender that the market does not have. */
  wrong: number;
}

/** The companies and values of the sandbox's market, in a DuckDB in memory. */
export class Expected {
  private constructor(private readonly db: DuckDBConnection) {}

  static async of(world: World): Promise<Expected> {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-'));
    try {
      const file = path.join(folder, 'market.ndjson');
      await writeMarket(world, file);
      const instance = await DuckDBInstance.create(':memory:');
      const db = await instance.connect();
      await db.run(`CREATE TABLE market AS FROM read_json('${file}', format = 'newline_delimited',
        columns = {id: 'BIGINT', name: 'VARCHAR', report: 'MAP(INTEGER, MAP(VARCHAR, VARCHAR))'})`);
      await db.run(`CREATE TABLE companies AS SELECT id, ${trimmed('name')} AS name FROM market`);
      await db.run(`CREATE TABLE "values" AS SELECT id, year, v.key AS indicator, ${comparable('v.value')} AS value
        FROM (
          SELECT id, y.key AS year, unnest(map_entries(y.value)) AS v
          FROM (SELECT id, unnest(map_entries(report)) AS y FROM market)
        ) WHERE v.value IS NOT NULL`);
      await db.run('DROP TABLE market');
      return new Expected(db);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Compares the rows of a contender with the market. */
  async compare({ file, companies, values }: Outcome): Promise<Difference> {
    await this.db.run(`ATTACH '${file}' AS db (READ_ONLY)`);
    try {
      await this.db.run(`CREATE OR REPLACE TEMP TABLE found_companies AS
        SELECT id, ${trimmed('name')} AS name FROM (${companies}) AS t(id, name)`);
      await this.db.run(`CREATE OR REPLACE TEMP TABLE found_values AS
        SELECT id, year, indicator, ${comparable('value')} AS value FROM (${values}) AS t(id, year, indicator, value)`);
      const count = async (query: string): Promise<number> =>
        Number((await this.db.runAndReadAll(`SELECT count(*) FROM (${query})`)).getRows()[0]![0]);
      return {
        companies: await count('FROM found_companies'),
        values: await count('FROM found_values'),
        missingCompanies: await count('FROM companies EXCEPT ALL FROM found_companies'),
        missingValues: await count('FROM "values" EXCEPT ALL FROM found_values'),
        wrong:
          (await count('FROM found_companies EXCEPT ALL FROM companies')) +
          (await count('FROM found_values EXCEPT ALL FROM "values"')),
      };
    } finally {
      await this.db.run('DETACH db');
    }
  }
}

async function writeMarket(world: World, file: string): Promise<void> {
  const out = createWriteStream(file);
  for (const id of world.companyIds(0)) {
    const line = JSON.stringify({ id, name: world.company(id, 0)?.name, report: world.financialReport(id, 0) ?? {} });
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** SQL for a text without white space at its ends, which Tidemark removes and the other contenders keep. */
function trimmed(text: string): string {
  return `regexp_replace(${text}, '^\\s+|\\s+$', '', 'g')`;
}

/** SQL for a value as text, so that 1, 1.0 and '1' are equal. */
function comparable(value: string): string {
  return `coalesce(CAST(TRY_CAST(${value} AS DOUBLE) + 0.0 AS VARCHAR), ${trimmed(value)})`;
}
