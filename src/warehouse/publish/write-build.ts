import { chmodSync, constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { fileOf } from '../../store/data-folder.js';
import type { Database } from '../duckdb/database.js';
import { quote } from '../duckdb/sql-files.js';
import { formatCount } from '../../../schemas/format.js';
import type { ModelBuild } from '../models/changed-keys.js';
import { createFunctions } from '../models/functions.js';
import type { Model } from '../models/models.js';
import { writeReceipt, type Made, type TableCounts } from '../models/receipt.js';
import type { Base, Choice } from './base-build.js';
import { checkBuild } from './check-build.js';
import { chooseComparison, isRead, type ComparisonPolicy } from './comparison.js';
import type { TableContents } from './contents.js';
import { publishLakes, type LakePolicy } from './publish-lakes.js';
import { dropDifferences, writeChanges, type TableChanges } from './write-changes.js';
import { writeFull } from './write-full.js';

/** What to write into a new build, and how. */
export interface Plan {
  models: Model[];
  layout: string;
  modelBuild: ModelBuild | undefined;
  choice: Choice;
}

/** The run and the time that the receipt names, how to write the lake, and what to compare. */
export interface BuildRequest extends LakePolicy, ComparisonPolicy {
  run: string;
  now: Date;
}

/** Result of writing a new file. */
export interface Written {
  contents: TableContents;
  notes: string[];
  made: Made;
}

/**
 * Writes the DuckDB file and the lake of a new build, and checks the file.
 * @throws ModelFailedError when the rows in the new file differ from those in the warehouse
 */
export async function writeBuild(
  db: Database,
  plan: Plan,
  { folder, previous }: { folder: string; previous: string | null },
  request: BuildRequest,
): Promise<Written> {
  const { models, choice } = plan;
  const file = fileOf(folder);
  if ('base' in choice) {
    await copyFile(choice.base.file, file, constants.COPYFILE_FICLONE);
    chmodSync(file, 0o600); // published files are read-only
  }
  // A copied file needs no write-ahead log (.wal) for its changes: after a failure, the file is removed.
  await db.run(`ATTACH ${quote(file)} AS build${'base' in choice ? ' (RECOVERY_MODE no_wal_writes)' : ''}`);
  let written: Written & { changes: TableChanges[] | null };
  try {
    await db.run('SET preserve_insertion_order = true'); // rows are written in the order of their keys
    written = await db.transaction(() => writeTables(db, plan, request));
    const { contents, changes } = written;
    await publishLakes(db, models, { folder, previous }, { contents, changes }, request);
    await dropDifferences(db, changes ?? []);
    await db.run('CHECKPOINT build');
  } finally {
    await db.run('SET preserve_insertion_order = false');
    await db.run('DETACH build').catch(() => undefined);
  }
  await checkBuild(file, { contents: written.contents, ...chooseChecks(plan, written, request) });
  return written;
}

/** Chooses the tables of the new file whose rows to read: all rows, or only those that were inserted. */
function chooseChecks(
  { models, choice }: Plan,
  { contents, changes }: { contents: TableContents; changes: TableChanges[] | null },
  request: BuildRequest,
): { read: Model[]; inserted: TableChanges[] } {
  if (!('base' in choice) || changes === null) return { read: models, inserted: [] };
  const comparison = chooseComparison(choice.base.comparedAt, request);
  if (comparison.all) return { read: models, inserted: [] };
  const isSmall = ({ model }: TableChanges): boolean =>
    isRead(comparison, contents.get(model.model) ?? { rows: 0, hash: '' });
  return {
    read: changes.filter(isSmall).map(({ model }) => model),
    inserted: changes.filter((change) => !isSmall(change)),
  };
}

/** Writes the tables, the receipt and the functions. Returns also the changes; null if all rows were written. */
async function writeTables(
  db: Database,
  plan: Plan,
  request: BuildRequest,
): Promise<Written & { changes: TableChanges[] | null }> {
  const { models, layout, modelBuild, choice } = plan;
  const { contents, changes, ...how } =
    'base' in choice
      ? await writeCopy(db, models, choice.base, request)
      : await writeAll(db, models, choice.full, request);
  const made: Made = {
    ...how,
    contents: Object.fromEntries([...contents].map(([table, { hash }]) => [table, hash])),
    layout,
    modelBuild: modelBuild?.id ?? null,
  };
  const counts: TableCounts = new Map([...contents].map(([table, { rows }]) => [table, rows]));
  await writeReceipt(db, counts, models, { ...request, made });
  const notes = await createFunctions(db, 'build');
  return { contents, changes, notes, made };
}

type Tables = Pick<Made, 'method' | 'reason' | 'base' | 'changedRows' | 'fullBytes' | 'comparedAt'> & {
  contents: TableContents;
  changes: TableChanges[] | null;
};

async function writeAll(db: Database, models: Model[], why: string, { now }: BuildRequest): Promise<Tables> {
  const contents = await writeFull(db, models);
  const reason = `All rows were written: ${why}.`;
  const comparedAt = now.toISOString();
  return {
    contents,
    changes: null,
    method: 'full',
    reason,
    base: null,
    changedRows: null,
    fullBytes: null,
    comparedAt,
  };
}

async function writeCopy(db: Database, models: Model[], base: Base, request: BuildRequest): Promise<Tables> {
  const { since, built, contents: before, fullBytes } = base;
  const comparison = chooseComparison(base.comparedAt, request);
  const { contents, changes } = await writeChanges(db, models, { since, built, before, comparison });
  const changedRows = changes.reduce((sum, { rows }) => sum + rows, 0);
  return {
    contents,
    changes,
    method: 'incremental',
    reason: `Build ${base.build.name} was copied; ${formatCount(changedRows)} rows in ${changes.length} tables differed.`,
    base: base.build.name,
    changedRows,
    fullBytes,
    comparedAt: comparison.all ? request.now.toISOString() : base.comparedAt,
  };
}
