import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { PartitionFile } from '../../schemas/pipeline/activities.js';
import { partitionsDir } from '../core/data-folder.js';
import { TidemarkError } from '../core/errors.js';
import type { Database } from '../duckdb/database.js';
import type { LoadCounts } from '../duckdb/errors.js';
import { withMoreMemory } from '../duckdb/more-memory.js';
import type { Warehouse } from '../duckdb/open.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import { pullManifests } from '../landing/index.js';
import { listParts } from '../load/part-check.js';
import { writeKeptRejects } from '../load/reject-files.js';
import { MODEL_SCHEMAS } from '../models/models.js';
import { workingCopyOf } from '../working-copy/open.js';
import { DIVIDED_TABLES } from './divide.js';
import { nameOf, readPlan, type Rebuild } from './plan.js';

/** Input of `combinePartitions`. */
export interface CombineRequest extends Rebuild {
  /** Files of all partitions, in the order of their numbers. */
  files: readonly PartitionFile[];
  /** Folder in which to write `rejects/`. */
  rejectsIn: string;
}

/** Result of `combinePartitions`: what the partitions loaded. */
export interface Combined extends LoadCounts {
  /** Fingerprints of the models whose tables are complete, by model. */
  models: ReadonlyMap<string, string>;
}

const MADE_BY_EACH = /^(?:loaded_parts|table_changes|dirty_.*)$/;

/**
 * Fills an empty warehouse with the rows of all partitions: tables of the ledger and divided models. The warehouse then
 * is as if one load had read the parts of the plan, and one build had made the divided models. The caller must hold the
 * locks of the warehouse and of the landing zone.
 * @throws TidemarkError when the partitions do not belong together, or the landing zone has changed since the plan; the
 * rebuild must then start again
 */
export async function combinePartitions(
  { db }: Warehouse,
  dataDir: string,
  request: CombineRequest,
): Promise<Combined> {
  const { files, rejectsIn } = request;
  const plan = await readPlan(dataDir, request);
  if (files.length !== plan.of) throw notOfOnePlan(`${files.length} files for ${plan.of} partitions`);
  const names: string[] = [];
  try {
    for (const [index, file] of files.entries()) {
      const local = await takeFile(dataDir, request, file);
      await db.run(`ATTACH ${quote(local)} AS p${index} (READ_ONLY)`);
      names.push(`p${index}`);
      await checkPartition(db, index, plan.software);
    }
    await checkParts(db, dataDir, names, plan.parts);
    for (const table of DIVIDED_TABLES) await insertAll(db, table, names);
    const models = await createModels(db, names);
    await writeKeptRejects(db, rejectsIn, names);
    const [counts] = await db.rows<{ parts: string; rows: string; rejects: string }>(
      'SELECT count(*) AS parts, coalesce(sum(rows), 0) AS rows, coalesce(sum(rejects), 0) AS rejects FROM ledger.loaded_parts',
    );
    const { parts = 0, rows = 0, rejects = 0 } = counts ?? {};
    return { parts: Number(parts), rows: Number(rows), rejects: Number(rejects), models };
  } finally {
    for (const name of names) await db.run(`DETACH ${name}`);
  }
}

/** Removes the plan and all files of a rebuild. */
export async function removePartitions(dataDir: string, id: string): Promise<void> {
  const folder = partitionsDir(dataDir, id);
  const copy = workingCopyOf(dataDir);
  if (copy !== undefined) for (const { file } of await copy.list(folder)) await copy.remove(file);
  rmSync(folder, { recursive: true, force: true });
}

async function takeFile(dataDir: string, { id }: Rebuild, { name, content }: PartitionFile): Promise<string> {
  const file = path.join(partitionsDir(dataDir, id), name);
  if (content !== null) await workingCopyOf(dataDir)?.take(file, content);
  if (existsSync(file)) return file;
  throw notOfOnePlan(`${file} is missing`);
}

/** Checks that a partition is what it should be, and that no row of its ledger would be lost. */
async function checkPartition(db: Database, index: number, software: string): Promise<void> {
  const [found] = await db.rows<{ index: number | string; software: string }>(`FROM p${index}.main.partition`);
  if (found === undefined || Number(found.index) !== index || found.software !== software)
    throw notOfOnePlan(`the file for partition ${index} belongs to another one`);
  const tables = await db.rows<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = 'p${index}' AND schema_name = 'ledger'`,
  );
  for (const { name } of tables) {
    if (MADE_BY_EACH.test(name) || (DIVIDED_TABLES as readonly string[]).includes(name)) continue;
    if ((await db.count(`SELECT count(*) FROM p${index}.ledger.${name}`)) > 0)
      throw notOfOnePlan(`partition ${index} has rows in ledger.${name}, which is not divided`);
  }
}

/** Checks that all partitions loaded the same parts, and that the landing zone still has them. */
async function checkParts(
  db: Database,
  dataDir: string,
  names: readonly string[],
  planned: readonly string[],
): Promise<void> {
  const all = union(names, 'ledger.loaded_parts');
  await db.run(
    `INSERT INTO ledger.loaded_parts BY NAME
     SELECT stream, date, run, part, min(sha256) AS sha256, min(rows) AS rows, sum(rejects) AS rejects, max(loaded_at) AS loaded_at
     FROM ${all} GROUP BY stream, date, run, part HAVING count(*) = ${names.length} AND count(DISTINCT sha256) = 1`,
  );
  const loaded = await db.rows<Parameters<typeof nameOf>[0]>('FROM ledger.loaded_parts');
  const some = await db.count(`SELECT count(DISTINCT (stream, date, run, part)) FROM ${all}`);
  await pullManifests(dataDir);
  const landed = new Set(listParts(dataDir).parts.map(nameOf));
  const expected = new Set(planned);
  const isSound = loaded.map(nameOf).every((name) => landed.has(name) && expected.has(name));
  if (some === loaded.length && isSound) return;
  throw new TidemarkError('DataFolderChanged', 'The landing zone changed while the partitions were built.', {
    todo: 'Start the rebuild again. Do not run `tidemark compact` or `tidemark forget` meanwhile.',
  });
}

/** Inserts the rows of all partitions into a table of the ledger. Gives the reports of each partition other ids. */
async function insertAll(db: Database, table: string, names: readonly string[]): Promise<void> {
  const columns = await db.rows<{ column_name: string }>(`DESCRIBE ledger.${table}`);
  const list = columns.map(({ column_name }) => identifier(column_name)).join(', ');
  const hasReports = columns.some(({ column_name }) => column_name === 'report_id');
  const parts: string[] = [];
  let shift = 0n;
  for (const name of names) {
    parts.push(
      hasReports
        ? `SELECT * REPLACE (report_id + ${shift} AS report_id) FROM ${name}.ledger.${table}`
        : `FROM ${name}.ledger.${table}`,
    );
    const [last] = await db.rows<{ next: string }>(
      `SELECT CAST(coalesce(max(report_id) + 1, 0) AS VARCHAR) AS next FROM ${name}.ledger.reports`,
    );
    shift += BigInt(last?.next ?? 0);
  }
  await withMoreMemory(db, () =>
    db.run(`INSERT INTO ledger.${table} (${list}) SELECT ${list} FROM (${parts.join(' UNION ALL ')})`),
  );
}

/** Creates the tables of the models that all partitions built from the same query. */
async function createModels(db: Database, names: readonly string[]): Promise<Map<string, string>> {
  const models = await db.rows<{ model: string; fingerprint: string }>(
    `SELECT model, fingerprint FROM ${union(names, 'main.models')} GROUP BY ALL HAVING count(*) = ${names.length}`,
  );
  for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  for (const { model } of models)
    await withMoreMemory(db, () => db.run(`CREATE TABLE ${model} AS FROM ${union(names, model)}`));
  return new Map(models.map(({ model, fingerprint }) => [model, fingerprint]));
}

function union(names: readonly string[], table: string): string {
  return `(${names.map((name) => `FROM ${name}.${table}`).join(' UNION ALL BY NAME ')})`;
}

function notOfOnePlan(what: string): TidemarkError {
  return new TidemarkError('Internal', `The partitions cannot be combined: ${what}.`, {
    todo: 'Start the rebuild again.',
  });
}
