import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { currentLink, deltaOf, fileOf } from '../../src/store/data-folder.js';
import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { openReadOnly } from '../../src/warehouse/duckdb/open.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';
import type { DeltaIndex } from '../../src/warehouse/builds/lake-index.js';
import { ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';
import { publishNights } from './nights.js';

/*
 * `npm run test:lake`: reads a lake with changes as docs/querying.md describes for PySpark and Polars, and compares the
 * rows with the DuckDB file of the same build. Runs the code of the page itself.
 */

const READERS = {
  polars: {
    packages: ['polars==1.44.2'],
    write: 'os.makedirs(f"{out}/{name}"); table(name).collect().write_parquet(f"{out}/{name}/data.parquet")',
  },
  pyspark: { packages: ['pyspark==4.3.0'], write: 'table(name).write.parquet(f"{out}/{name}")' },
};

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-lake-'));
  try {
    const dataDir = path.join(folder, 'data');
    await publishNights(dataDir);
    const build = realpathSync(currentLink(dataDir));
    const { tables } = JSON.parse(readFileSync(path.join(deltaOf(build), '_current.json'), 'utf8')) as DeltaIndex;
    const versions = new Set(Object.values(tables).flatMap(({ files }) => files.map(({ version }) => version)));
    process.stdout.write(`lake-delta: ${Object.keys(tables).length} tables with changes, ${versions.size} versions\n`);
    if (versions.size < 2) throw new Error('lake-delta must have at least two versions');
    const names = await listTables(build);
    let wrong = 0;
    for (const [reader, { packages, write }] of Object.entries(READERS)) {
      const out = path.join(folder, reader);
      mkdirSync(out);
      const script = path.join(folder, `read-with-${reader}.py`);
      const lines = [`out = ${JSON.stringify(out)}`, `for name in ${JSON.stringify(names)}:`, `    ${write}`, ''];
      writeFileSync(script, [readRecipe(reader), ...lines].join('\n'));
      execFileSync(await installPython(reader, packages), [script], {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'pipe'],
      });
      const different = await compare(build, out, names);
      wrong += different.length;
      process.stdout.write(`${reader}: ${names.length} tables, ${different.join('; ') || 'all rows equal'}\n`);
    }
    process.exitCode = wrong > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the Python code of docs/querying.md that uses the library. */
function readRecipe(library: string): string {
  const page = readFileSync(path.join(ROOT, 'docs', 'querying.md'), 'utf8');
  const blocks = [...page.matchAll(/^```python\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const found = blocks.find((code) => code.includes(library));
  if (found === undefined) throw new Error(`docs/querying.md has no Python code with ${library}`);
  return found;
}

async function listTables(build: string): Promise<string[]> {
  const { db, close } = await openReadOnly(fileOf(build));
  try {
    const rows = await db.rows<{ name: string }>(
      `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE NOT internal AND schema_name <> 'meta' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  } finally {
    close();
  }
}

/** Compares the rows that a reader wrote with the DuckDB file. Returns a line per table with other rows. */
async function compare(build: string, out: string, names: readonly string[]): Promise<string[]> {
  return withMemory(':memory:', async (db) => {
    await db.run(`ATTACH ${quote(fileOf(build))} AS published (READ_ONLY)`);
    const different: string[] = [];
    for (const name of names) {
      const table = `published.${name}`;
      const read = `(SELECT * FROM read_parquet(${quote(`${out}/${name}/*.parquet`)}))`;
      const rows = await db.count(
        `SELECT count(*) FROM ((FROM ${table} EXCEPT ALL FROM ${read}) UNION ALL (FROM ${read} EXCEPT ALL FROM ${table}))`,
      );
      if (rows > 0) different.push(`${name}: ${rows} rows differ`);
    }
    return different;
  });
}

await main();
