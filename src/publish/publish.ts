import { rmSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { errorMessage } from '../core/errors.js';
import { shareWith, type Readers } from '../core/file-modes.js';
import { syncPath } from '../core/files.js';
import { buildPublished } from '../core/observed.js';
import { readBuiltModels } from '../models/built-models.js';
import { Database } from '../duckdb/database.js';
import { asWarehouseError, ModelFailedError } from '../duckdb/errors.js';
import { commentOn } from '../duckdb/comments.js';
import { createFunctions } from '../models/functions.js';
import { beginBuild, finishBuild, newestLake } from '../builds/builds.js';
import { syncFile, syncFolders } from '../builds/links.js';
import type { Model } from '../models/models.js';
import type { Warehouse } from '../duckdb/open.js';
import { buildsDir, fileOf, lakeOf, publishedFile } from '../core/data-folder.js';
import { publishLake } from './publish-lake.js';
import { writeReceipt, type TableCounts } from '../models/receipt.js';
import { showNewBuild } from '../builds/switch.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import { formatCount } from '../../schemas/format.js';

/** Input of `publish`. */
export interface PublishRequest {
  /** Run for which the build is made. The name of the build contains it. */
  run: string;
  now: Date;
  /** Who on this machine may read the build. Default: only its owner. */
  readers?: Readers | undefined;
  /**
   * Number of builds to keep, including this one (default 3). Readers that have opened a removed build can still read
   * it.
   */
  keep?: number | undefined;
  /** Minimum time for which a replaced build is kept, in seconds (default 60). */
  graceSeconds?: number;
}

/** The build that `publish` made. */
export interface PublishedBuild {
  /** Path of the published file, relative to the data folder. */
  file: string;
  tables: number;
  rows: number;
  /** Messages about the build for a person, one sentence each. */
  notes: string[];
}

/**
 * Writes the tables of the models into a new immutable file and lake. Opens the file to check it, and then switches
 * `data/published` to the new build. Until the switch, and after any failure, readers see the old build.
 * @throws TidemarkError `DiskFull`
 * @throws ModelFailedError when models were not built, or the rows in the new file differ from those written
 */
export async function publish(warehouse: Warehouse, dataDir: string, request: PublishRequest): Promise<PublishedBuild> {
  const { db } = warehouse;
  const startedAt = performance.now();
  const models = await readBuiltModels(db);
  const builds = buildsDir(dataDir);
  const build = beginBuild(dataDir, request);
  const file = fileOf(build.folder);
  let written: { counts: TableCounts; notes: string[] };
  try {
    const lakes = { lake: lakeOf(build.folder), previousLake: newestLake(dataDir) };
    written = await writeBuild(db, models, { file, ...lakes }, request);
    await checkBuild(file, written.counts);
    shareWith(request.readers ?? 'owner', dataDir, builds, [build.folder]);
    await syncFile(file);
    await syncFolders(build.folder);
    warehouse.assertHeld();
    finishBuild(dataDir, build);
    await syncPath(builds, dataDir);
  } catch (error) {
    rmSync(build.folder, { recursive: true, force: true });
    throw asWarehouseError(error, file);
  }
  const { keep = 3, graceSeconds = 60 } = request;
  await showNewBuild(dataDir, build.name, { keep, graceSeconds });
  buildPublished.report({ seconds: (performance.now() - startedAt) / 1_000 });
  return {
    file: path.relative(dataDir, publishedFile(dataDir)),
    tables: written.counts.size,
    rows: [...written.counts.values()].reduce((sum, rows) => sum + rows, 0),
    notes: written.notes,
  };
}

async function writeBuild(
  db: Database,
  models: Model[],
  { file, lake, previousLake }: { file: string; lake: string; previousLake: string | null },
  request: PublishRequest,
): Promise<{ counts: TableCounts; notes: string[] }> {
  await db.run(`ATTACH ${quote(file)} AS build`);
  try {
    const written = await db.transaction(async () => {
      const rows: TableCounts = new Map();
      for (const model of models) rows.set(model.model, await copyModel(db, model));
      await writeReceipt(db, rows, models, request);
      const notes = await createFunctions(db, 'build');
      return { counts: rows.set('meta.receipt', 1), notes };
    });
    await publishLake(db, models, lake, { run: request.run, previous: previousLake });
    await db.run('CHECKPOINT build');
    return written;
  } finally {
    await db.run('DETACH build').catch(() => undefined);
  }
}

/** Copies the table of a model into the new build, sorted by key, with its comments. Returns the number of rows. */
async function copyModel(db: Database, model: Model): Promise<number> {
  const [schema] = model.model.split('.');
  const table = `build.${model.model}`;
  await db.run(`CREATE SCHEMA IF NOT EXISTS build.${schema}`);
  const rows = await db.count(
    `CREATE TABLE ${table} AS SELECT * FROM ${model.model} ORDER BY ${model.key.map(identifier).join(', ')}`,
  );
  const said = `${model.description} One row per ${model.grain}; key: ${model.key.join(', ')}.`;
  const columns = Object.entries(model.columns).map(([name, { comment }]) => [name, comment] as const);
  await commentOn(db, table, said, columns);
  return rows;
}

/** Opens the file as a reader would. Checks the number of rows of each table, and that each column has a comment. */
async function checkBuild(file: string, counts: TableCounts): Promise<void> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  try {
    const db = new Database(await instance.connect(), file);
    for (const [table, expected] of counts) {
      const found = await db.count(`SELECT count(*) FROM ${table}`);
      if (found !== expected)
        throw unsound(file, `${table} has ${formatCount(found)} rows instead of ${formatCount(expected)}`);
    }
    const bare = await db.count('SELECT count(*) FROM duckdb_columns() WHERE comment IS NULL AND NOT internal');
    if (bare > 0) throw unsound(file, `${bare} columns have no comment`);
    db.closeSync();
  } catch (error) {
    throw error instanceof ModelFailedError ? error : unsound(file, errorMessage(error));
  } finally {
    instance.closeSync();
  }
}

function unsound(file: string, what: string): ModelFailedError {
  return new ModelFailedError(
    `The new build ${file} failed its check: ${what}.`,
    'The last build stays current. Run `tidemark publish` again; if this repeats, check the disk.',
  );
}
