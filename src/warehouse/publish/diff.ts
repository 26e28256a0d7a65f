import { TidemarkError } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import { publishedFile } from '../../store/data-folder.js';
import { resolveBuild } from '../builds/published.js';
import { readEnv, type Env } from './environments.js';
import { parseModel } from '../models/models.js';
import { identifier, quote } from '../duckdb/sql-files.js';

/** A value as text; null for NULL. */
type Shown = string | null;

/** Differences of one table between an environment ("here") and production ("there"). */
export interface TableDiff {
  model: string;
  /** Key columns with which rows are matched. Null when production lacks the table, or when the key is not unique. */
  key: string[] | null;
  rowsHere: number;
  /** Number of rows in production. Null when production has no such table. */
  rowsThere: number | null;
  onlyHere: number;
  onlyThere: number;
  /** Number of rows that have the same key and a different value in a shared column. Null without a key. */
  changed: number | null;
  addedColumns: string[];
  removedColumns: string[];
  /** Columns with different values. The columns with the most different rows come first. */
  columns: { column: string; rows: number; samples: { key: Record<string, Shown>; there: Shown; here: Shown }[] }[];
  /** Sample rows that exist only in the environment. Each shows the key, or the whole row if there is no key. */
  samplesOnlyHere: Record<string, Shown>[];
  samplesOnlyThere: Record<string, Shown>[];
}

/** Differences between an environment and production, with one entry for each table. */
export interface EnvDiff {
  env: Env;
  tables: TableDiff[];
}

/**
 * Compares the tables of an environment (here) with the published tables (there). Matches rows by the key of each
 * model.
 * @param models Models to compare; an empty list compares all models of the environment
 * @param samples Maximum number of rows to show for each kind of difference
 * @throws TidemarkError `InvalidInput` for an unknown environment or model
 */
export async function diffEnv(
  dataDir: string,
  name: string,
  models: readonly string[],
  samples: number,
): Promise<EnvDiff> {
  const env = await readEnv(dataDir, name);
  const unknown = models.find((model) => !env.models.includes(model));
  if (unknown !== undefined)
    throw new TidemarkError('InvalidInput', `Environment ${name} has no model ${unknown}.`, {
      todo: `The environment has only the models that differed when it was built: ${env.models.join(', ') || 'none'}.`,
    });
  const wanted = models.length === 0 ? env.models : models;
  const tables = await withMemory(env.file, async (db) => {
    await db.run(`SET TimeZone = 'UTC'`);
    await db.run(`ATTACH ${quote(env.file)} AS here (READ_ONLY)`);
    await db.run(`ATTACH ${quote(resolveBuild(publishedFile(dataDir)))} AS there (READ_ONLY)`);
    const compared: TableDiff[] = [];
    for (const model of wanted) compared.push(await diffTable(db, model, samples));
    return compared;
  });
  return { env, tables };
}

async function diffTable(db: Database, model: string, samples: number): Promise<TableDiff> {
  const [row] = await db.rows<{ definition: string }>(
    'SELECT definition FROM here.main.environment WHERE model = $model',
    { model },
  );
  const { key } = parseModel({ name: `${model.replace('.', '/')}.sql`, text: row?.definition ?? '' });
  const [here, there] = [await columnsOf(db, 'here', model), await columnsOf(db, 'there', model)];
  const rowsHere = await db.count(`SELECT count(*) FROM here.${model}`);
  if (there.length === 0) return { ...NOTHING, model, key: null, rowsHere, rowsThere: null, onlyHere: rowsHere };
  const shared = here.filter((column) => there.includes(column));
  const hasKey =
    key.every((column) => there.includes(column)) &&
    (await isUnique(db, 'here', model, key)) &&
    (await isUnique(db, 'there', model, key));
  const values = shared.filter((column) => !key.includes(column));
  const rows = hasKey ? { matched: key, values, areUnique: true } : { matched: shared, values: [], areUnique: false };
  const differences = await compareRows(db, model, rows, samples);
  return {
    ...differences,
    model,
    key: hasKey ? key : null,
    rowsHere,
    rowsThere: await db.count(`SELECT count(*) FROM there.${model}`),
    changed: hasKey ? differences.changed : null,
    addedColumns: here.filter((column) => !there.includes(column)),
    removedColumns: there.filter((column) => !here.includes(column)),
  };
}

const NOTHING = {
  onlyThere: 0,
  changed: 0,
  addedColumns: [],
  removedColumns: [],
  columns: [],
  samplesOnlyHere: [],
  samplesOnlyThere: [],
};

/**
 * Compares the rows of a table as texts. Matches rows by the columns `matched`. If these are not unique, a row that occurs
 * twice in one table needs two rows in the other.
 */
async function compareRows(
  db: Database,
  model: string,
  { matched, values, areUnique }: { matched: readonly string[]; values: readonly string[]; areUnique: boolean },
  samples: number,
) {
  const texts = (columns: readonly string[]): string =>
    `CAST([${columns.map((column) => `CAST(${identifier(column)} AS VARCHAR)`).join(', ')}] AS VARCHAR[])`;
  const side = (database: string): string =>
    `(SELECT *, ${areUnique ? 1 : 'row_number() OVER (PARTITION BY key)'} AS copy
      FROM (SELECT ${texts(matched)} AS key, ${texts(values)} AS cells FROM ${database}.${model}))`;
  await db.run(`CREATE OR REPLACE TEMP TABLE differences AS
    SELECT key, h.cells AS here, t.cells AS there FROM ${side('here')} AS h FULL JOIN ${side('there')} AS t USING (key, copy)
    WHERE h.cells IS DISTINCT FROM t.cells`);
  await db.run(`CREATE OR REPLACE TEMP TABLE changed_cells AS
    FROM (SELECT key, unnest([${values.map(quote).join(', ')}]) AS name, unnest(here) AS here, unnest(there) AS there
      FROM differences WHERE here IS NOT NULL AND there IS NOT NULL)
    WHERE here IS DISTINCT FROM there`);
  const [counts] = await db.rows<Record<'here' | 'there' | 'both', string>>(
    `SELECT count(*) FILTER (there IS NULL) AS here, count(*) FILTER (here IS NULL) AS there, count(here) - count(*) FILTER (there IS NULL) AS both
     FROM differences`,
  );
  const columns = await db.rows<{ column: string; rows: string }>(
    'SELECT name AS column, count(*) AS rows FROM changed_cells GROUP BY ALL ORDER BY count(*) DESC, 1',
  );
  const cells = await db.rows<{ name: string; key: Shown[]; there: Shown; here: Shown }>(
    `FROM changed_cells QUALIFY row_number() OVER (PARTITION BY name ORDER BY key) <= ${samples} ORDER BY key`,
  );
  const named = (key: readonly Shown[]) => Object.fromEntries(matched.map((column, i) => [column, key[i] ?? null]));
  const only = async (missing: 'here' | 'there') =>
    (
      await db.rows<{ key: Shown[] }>(
        `SELECT key FROM differences WHERE ${missing} IS NULL ORDER BY key LIMIT ${samples}`,
      )
    ).map(({ key }) => named(key));
  return {
    onlyHere: Number(counts?.here),
    onlyThere: Number(counts?.there),
    changed: Number(counts?.both),
    columns: columns.map(({ column, rows }) => ({
      column,
      rows: Number(rows),
      samples: cells
        .filter(({ name }) => name === column)
        .map(({ key, there, here }) => ({ key: named(key), there, here })),
    })),
    samplesOnlyHere: await only('there'),
    samplesOnlyThere: await only('here'),
  };
}

async function columnsOf(db: Database, database: string, model: string): Promise<string[]> {
  const rows = await db.rows<{ column_name: string }>(
    `SELECT column_name FROM duckdb_columns()
     WHERE database_name = $database AND schema_name || '.' || table_name = $model ORDER BY column_index`,
    { database, model },
  );
  return rows.map(({ column_name: column }) => column);
}

async function isUnique(db: Database, database: string, model: string, key: string[]): Promise<boolean> {
  const list = key.map(identifier).join(', ');
  const repeated = `SELECT 1 FROM ${database}.${model} GROUP BY ${list} HAVING count(*) > 1 LIMIT 1`;
  return (await db.count(`SELECT count(*) FROM (${repeated})`)) === 0;
}
