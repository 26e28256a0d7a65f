import { rmSync } from 'node:fs';
import { deltaOf, lakeOf } from '../../store/data-folder.js';
import type { Database } from '../duckdb/database.js';
import type { Model } from '../models/models.js';
import type { TableContents } from './contents.js';
import { writeDelta, writeEmptyDelta } from './publish-delta.js';
import { readDeltaIndex, type DeltaIndex } from '../builds/lake-index.js';
import { linkLake, publishLake } from './publish-lake.js';
import type { TableChanges } from './write-changes.js';
import { DAY_SECONDS } from '../../base/time/time.js';

/** When to write `lake/`. */
export interface LakePolicy {
  /** Maximum age of `lake/` in seconds. Default: 7 days. */
  lakeEvery?: number | undefined;
  /** If the tables to write have at most this many rows, `lake/` is always written. Default: 1,000,000. */
  smallLakeRows?: number | undefined;
}

const DEFAULT_LAKE_EVERY = 7 * DAY_SECONDS;
const DEFAULT_SMALL_LAKE_ROWS = 1_000_000;
// If more than this share of all rows differ from `lake/`, it is written.
const LARGEST_DELTA_SHARE = 0.1;

/** What a publication wrote into the DuckDB file. */
interface WrittenTables {
  contents: TableContents;
  /** Null: all rows were written. */
  changes: TableChanges[] | null;
}

/**
 * Writes `lake/` and `lake-delta/` of a new build. Either writes the changed tables into `lake/`; `lake-delta/` then has
 * no rows. Or links all files of the previous `lake/`, and writes the rows that differ from them into `lake-delta/`.
 * @param folders folder of the new build, and of the previous one; null if there is none
 */
export async function publishLakes(
  db: Database,
  models: Model[],
  { folder, previous }: { folder: string; previous: string | null },
  { contents, changes }: WrittenTables,
  request: LakePolicy & { run: string; now: Date },
): Promise<void> {
  const [lake, delta] = [lakeOf(folder), deltaOf(folder)];
  const index = previous === null ? undefined : readDeltaIndex(deltaOf(previous));
  // Tables that differ from the previous `lake/`.
  const changed = new Set([...Object.keys(index?.tables ?? {}), ...(changes ?? []).map(({ model }) => model.model)]);
  if (
    previous !== null &&
    index !== undefined &&
    changes !== null &&
    !isDue(index, changed, { contents, changes }, request)
  ) {
    if (
      (await linkLake(models, lake, lakeOf(previous))) &&
      (await writeDelta(db, changes, delta, { folder: deltaOf(previous), index }))
    )
      return;
    // Remove the links first. Otherwise, DuckDB could write into a file that the previous build shares.
    for (const damaged of [lake, delta]) rmSync(damaged, { recursive: true, force: true });
  }
  const isSame = ({ model }: Model): boolean => index !== undefined && changes !== null && !changed.has(model);
  await publishLake(db, models, lake, {
    run: request.run,
    previous: previous === null ? null : lakeOf(previous),
    contents,
    unchanged: new Set(models.filter(isSame).map(({ model }) => model)),
    sorted: changes === null,
  });
  await writeEmptyDelta(delta, request);
}

/** Whether to write `lake/` now. */
function isDue(
  { lake, tables }: DeltaIndex,
  changed: ReadonlySet<string>,
  { contents, changes }: { contents: TableContents; changes: TableChanges[] },
  { now, lakeEvery = DEFAULT_LAKE_EVERY, smallLakeRows = DEFAULT_SMALL_LAKE_ROWS }: LakePolicy & { now: Date },
): boolean {
  const toWrite = sum([...changed].map((table) => contents.get(table)?.rows ?? 0));
  if (toWrite <= smallLakeRows) return true;
  const age = (now.getTime() - Date.parse(lake.builtAt)) / 1_000;
  // The age is negative if the clock was set back.
  if (age < 0 || age >= lakeEvery) return true;
  const rows =
    sum(Object.values(tables).flatMap(({ files }) => files.map((file) => file.rows))) +
    sum(changes.map((change) => change.rows));
  return rows > LARGEST_DELTA_SHARE * sum([...contents.values()].map((table) => table.rows));
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
