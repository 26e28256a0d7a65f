import { DAY_SECONDS } from '../../base/time/time.js';
import { fileOf, lakeOf } from '../../store/data-folder.js';
import { DamagedFileError } from '../../store/disk-errors.js';
import { readLakeIndex, writeLakeIndex, type LakeIndex } from '../builds/lake-index.js';
import { readColumns } from '../duckdb/columns.js';
import { copyClosed } from '../duckdb/copy-closed.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { withMoreMemory } from '../duckdb/more-memory.js';
import { openCopy } from '../duckdb/open.js';
import { readWholly } from '../duckdb/read-wholly.js';
import { createFunctions } from '../models/functions.js';
import type { Model } from '../models/models.js';
import { RECEIPT_COLUMNS, writeReceipt } from '../models/receipt.js';
import { readChanges, stateOfStored, statesOf, type Changes } from './lake-states.js';
import { countsOf, publishLake, type LakeSource } from './publish-lake.js';

/** The build to write. */
export interface BuildRequest {
  /** Empty folder for the files of the build. */
  folder: string;
  /** Folder of the build before; null if there is none. */
  previous: string | null;
  run: string;
  now: Date;
}

/** Result of writing a build. */
export interface Written {
  /** Number of rows of each published table and view. */
  tables: Record<string, number>;
  /** Sentences for a person. */
  notes: string[];
}

// DuckDB compares the checksum of a block when it reads the block. So a damaged block is found within this time.
const READ_EVERY = 7 * DAY_SECONDS;
const RECEIPT = 'meta.receipt';

/**
 * Copies the closed warehouse file into the folder of a build. Removes from the copy what is not published, and writes
 * the receipt, the functions and the lake.
 * @throws DamagedFileError about the warehouse when DuckDB finds a damaged block in the copy
 * @throws ModelFailedError when readers could not read a view
 */
export async function writeBuild(warehouse: string, models: readonly Model[], request: BuildRequest): Promise<Written> {
  const file = fileOf(request.folder);
  await copyClosed(warehouse, file);
  try {
    const { db, close } = await openCopy(file);
    try {
      return await makePublic(db, models, request);
    } finally {
      close();
    }
  } catch (error) {
    // The copy is equal to the warehouse, so the warehouse is damaged.
    throw error instanceof DamagedFileError ? new DamagedFileError(warehouse, error.cause) : error;
  }
}

async function makePublic(db: Database, models: readonly Model[], request: BuildRequest): Promise<Written> {
  const { folder, previous, run, now } = request;
  const before = previous === null ? undefined : readLakeIndex(lakeOf(previous));
  const readsRows = mustReadRows(before, now);
  if (readsRows) await withMoreMemory(db, () => readWholly(db));
  const changes = await readChanges(db);
  const [landed] = await db.rows<{ parts: number; rows: number }>(
    'SELECT CAST(count(*) AS INTEGER) AS parts, CAST(coalesce(sum(rows), 0) AS DOUBLE) AS rows FROM ledger.loaded_parts',
  );
  // The bookkeeping of the writer, and the macros and seeds of models.
  await db.run('DROP SCHEMA ledger CASCADE; DROP TABLE main.schema_version');
  const earlier = previous === null || before === undefined ? undefined : { folder: lakeOf(previous), ...before };
  const sources = await sourcesOf(db, models, changes, run);
  const tables = await withMoreMemory(db, () => publishLake(db, sources, lakeOf(folder), earlier));
  const counts = { ...countsOf(tables), [RECEIPT]: 1 };
  await writeReceipt(db, {
    run,
    now,
    models: Object.fromEntries(models.map(({ model, fingerprint }) => [model, fingerprint])),
    tables: counts,
    parts: landed?.parts ?? 0,
    landedRows: landed?.rows ?? 0,
  });
  const notes = await createFunctions(db);
  const columns = RECEIPT_COLUMNS.map(([name, type]) => ({ name, type }));
  const receipt = { table: RECEIPT, columns, footer: { run }, state: null };
  Object.assign(tables, await publishLake(db, [receipt], lakeOf(folder), undefined));
  await db.run('CHECKPOINT');
  const rowsReadAt = readsRows || before === undefined ? now.toISOString() : before.rowsReadAt;
  await writeLakeIndex(lakeOf(folder), { format: 2, rowsReadAt, tables });
  return { tables: counts, notes };
}

/** Whether to read all rows: this did not happen for a week, or the clock was set back. Not for the first build. */
function mustReadRows(before: LakeIndex | undefined, now: Date): boolean {
  if (before === undefined) return false;
  const age = (now.getTime() - Date.parse(before.rowsReadAt)) / 1_000;
  return !(age >= 0 && age < READ_EVERY);
}

/**
 * Lists what the lake has: the tables and views of models, and the tables that views read.
 * @throws ModelFailedError when a table or view of a model is missing
 */
async function sourcesOf(db: Database, models: readonly Model[], changes: Changes, run: string): Promise<LakeSource[]> {
  const stateOf = await statesOf(models, changes);
  const found = await readColumns(db);
  const lost = models.find(({ model }) => !found.has(model));
  if (lost !== undefined)
    throw new ModelFailedError(
      `The warehouse has no table ${lost.model}, although its model was built.`,
      'Perhaps somebody dropped it by hand. Run `tidemark models apply`, which builds it again.',
    );
  const sources = models.map((model): LakeSource => {
    const columns = Object.entries(model.columns).map(([name, { type }]) => ({ name, type }));
    const comments = Object.fromEntries(Object.entries(model.columns).map(([name, { comment }]) => [name, comment]));
    const footer = {
      run,
      model: model.model,
      version: String(model.version),
      fingerprint: model.fingerprint,
      description: model.description,
      columns: JSON.stringify(comments),
    };
    const viewFile = model.kind === 'view' ? model.path : undefined;
    return { table: model.model, columns, viewFile, footer, ...stateOf(model) };
  });
  const known = new Set(models.map(({ model }) => model));
  for (const [table, columns] of found)
    if (table.startsWith('base.') && !known.has(table))
      sources.push({
        table,
        columns,
        footer: { run },
        ...stateOfStored(table, columns, changes),
      });
  return sources;
}
