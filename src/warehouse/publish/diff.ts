import { TidemarkError } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import { readEnv, resolvePublished, type Env } from './environments.js';
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
    await db.run(`ATTACH ${quote(resolvePublished(dataDir))} AS there (READ_ONLY)`);
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
  const shared = [...here.keys()].filter((column) => there.has(column));
  const common = {
    model,
    rowsHere,
    addedColumns: [...here.keys()].filter((column) => !there.has(column)),
    removedColumns: [...there.keys()].filter((column) => !here.has(column)),
  };
  if (there.size === 0) {
    const nothing = { columns: [], samplesOnlyHere: [], samplesOnlyThere: [] };
    return {
      ...common,
      ...nothing,
      addedColumns: [],
      key: null,
      rowsThere: null,
      onlyHere: rowsHere,
      onlyThere: 0,
      changed: 0,
    };
  }
  const rowsThere = await db.count(`SELECT count(*) FROM there.${model}`);
  const hasKey =
    key.every((column) => there.has(column)) &&
    (await isUnique(db, 'here', model, key)) &&
    (await isUnique(db, 'there', model, key));
  if (!hasKey)
    return {
      ...common,
      key: null,
      rowsThere,
      ...(await diffWhole(db, model, shared, { rowsHere, rowsThere }, samples)),
    };
  const values = shared.filter((column) => !key.includes(column));
  return { ...common, key, rowsThere, ...(await diffByKey(db, model, key, values, samples)) };
}

// Use aliases that cannot be names of columns. DuckDB would resolve an alias like `here` to a column of that name.
const HERE = '"tidemark here"';
const THERE = '"tidemark there"';
const PRESENT = '"tidemark present"';

async function diffByKey(db: Database, model: string, key: string[], values: string[], samples: number) {
  const same = key
    .map((column) => `${HERE}.${identifier(column)} IS NOT DISTINCT FROM ${THERE}.${identifier(column)}`)
    .join(' AND ');
  const differ = (column: string): string =>
    `CAST(${HERE}.${identifier(column)} AS VARCHAR) IS DISTINCT FROM CAST(${THERE}.${identifier(column)} AS VARCHAR)`;
  await db.run(`CREATE OR REPLACE TEMP TABLE differences AS
    SELECT ${HERE}, ${THERE}, ${HERE}.${PRESENT} AS is_here, ${THERE}.${PRESENT} AS is_there, [${values.map((column) => `CASE WHEN ${differ(column)} THEN ${quote(column)} END`).join(', ')}] AS differing
    FROM (SELECT *, true AS ${PRESENT} FROM here.${model}) AS ${HERE}
    FULL JOIN (SELECT *, true AS ${PRESENT} FROM there.${model}) AS ${THERE} ON ${same}
    WHERE ${HERE}.${PRESENT} IS NULL OR ${THERE}.${PRESENT} IS NULL${values.map((column) => ` OR ${differ(column)}`).join('')}`);
  const both = 'is_here AND is_there';
  const [counts] = await db.rows<{ only_here: string; only_there: string; changed: string }>(
    `SELECT count(*) FILTER (is_there IS NULL) AS only_here, count(*) FILTER (is_here IS NULL) AS only_there, count(*) FILTER (${both}) AS changed
     FROM differences`,
  );
  const columns = await db.rows<{ column: string; rows: string }>(
    `SELECT column_name AS column, count(*) AS rows FROM (SELECT unnest(differing) AS column_name FROM differences WHERE ${both})
     WHERE column_name IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1`,
  );
  const shownKey = (side: typeof HERE | typeof THERE): string =>
    key.map((column) => `CAST(${side}.${identifier(column)} AS VARCHAR) AS ${identifier(column)}`).join(', ');
  const ordered = key.map((_, i) => i + 1).join(', ');
  const onlyIn = async (side: 'here' | 'there', other: string) =>
    db.rows<Record<string, Shown>>(
      `SELECT ${shownKey(side === 'here' ? HERE : THERE)} FROM differences WHERE is_${other} IS NULL ORDER BY ${ordered} LIMIT ${samples}`,
    );
  const withSamples: TableDiff['columns'] = [];
  for (const { column, rows } of columns) {
    const shown = await db.rows<{ key: Record<string, Shown>; there: Shown; here: Shown }>(
      `SELECT {${key.map((name) => `${quote(name)}: CAST(${HERE}.${identifier(name)} AS VARCHAR)`).join(', ')}} AS key,
         CAST(${THERE}.${identifier(column)} AS VARCHAR) AS there, CAST(${HERE}.${identifier(column)} AS VARCHAR) AS here
       FROM differences WHERE ${both} AND list_contains(differing, $column) ORDER BY 1 LIMIT ${samples}`,
      { column },
    );
    withSamples.push({ column, rows: Number(rows), samples: shown });
  }
  return {
    onlyHere: Number(counts?.only_here),
    onlyThere: Number(counts?.only_there),
    changed: Number(counts?.changed),
    columns: withSamples,
    samplesOnlyHere: await onlyIn('here', 'there'),
    samplesOnlyThere: await onlyIn('there', 'here'),
  };
}

/** Compares whole rows by all columns that both tables have. Used when the tables have no common unique key. */
async function diffWhole(
  db: Database,
  model: string,
  shared: string[],
  { rowsHere, rowsThere }: { rowsHere: number; rowsThere: number },
  samples: number,
) {
  if (shared.length === 0)
    return {
      onlyHere: rowsHere,
      onlyThere: rowsThere,
      changed: null,
      columns: [],
      samplesOnlyHere: [],
      samplesOnlyThere: [],
    };
  const list = shared.map((column) => `CAST(${identifier(column)} AS VARCHAR) AS ${identifier(column)}`).join(', ');
  const minus = (left: string, right: string): string =>
    `(SELECT ${list} FROM ${left}.${model} EXCEPT ALL SELECT ${list} FROM ${right}.${model})`;
  return {
    onlyHere: await db.count(`SELECT count(*) FROM ${minus('here', 'there')}`),
    onlyThere: await db.count(`SELECT count(*) FROM ${minus('there', 'here')}`),
    changed: null,
    columns: [],
    samplesOnlyHere: await db.rows<Record<string, Shown>>(
      `FROM ${minus('here', 'there')} ORDER BY ALL LIMIT ${samples}`,
    ),
    samplesOnlyThere: await db.rows<Record<string, Shown>>(
      `FROM ${minus('there', 'here')} ORDER BY ALL LIMIT ${samples}`,
    ),
  };
}

async function columnsOf(db: Database, database: string, model: string): Promise<Map<string, string>> {
  const rows = await db.rows<{ column_name: string; data_type: string }>(
    `SELECT column_name, data_type FROM duckdb_columns()
     WHERE database_name = $database AND schema_name || '.' || table_name = $model ORDER BY column_index`,
    { database, model },
  );
  return new Map(rows.map((row) => [row.column_name, row.data_type]));
}

async function isUnique(db: Database, database: string, model: string, key: string[]): Promise<boolean> {
  const list = key.map(identifier).join(', ');
  return (
    (await db.count(
      `SELECT count(*) FROM (SELECT 1 FROM ${database}.${model} GROUP BY ${list} HAVING count(*) > 1 LIMIT 1)`,
    )) === 0
  );
}
