import path from 'node:path';
import { WEBHOOK_RUN } from '../../../schemas/pipeline/landing.js';
import { SINGLE_STREAMS } from '../../../schemas/streams/streams.js';
import { readManifests, spoolsDir, type LandedPart } from '../../landing/index.js';
import { namesIn } from '../../store/files.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { adoptCompacted } from '../../warehouse/load/load.js';
import { whileNobodyReplays } from '../../warehouse/duckdb/locks.js';
import type { Warehouse } from '../../warehouse/duckdb/open.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import { removeReplaced, replaceParts } from './replace-parts.js';
import { utcDay } from '../../base/time/time.js';
import type { Data } from '../../store/data.js';

/** Selects the parts to join and the answers to drop. */
export interface CompactRequest {
  /**
   * Smallest number of parts of one run and stream that are joined, at least 2. Fewer parts are written again only if
   * they hold answers to drop.
   */
  minParts: number;
  /**
   * Drops an answer older than this time if it equals both the answer before it and the answer after it, byte for byte.
   */
  dropRepeatsBefore?: Date | undefined;
}

/** Result of `compactLanding`. */
export interface Compacted {
  /** Number of run folders that changed: parts were joined, or repeated answers were dropped. */
  folders: number;
  partsBefore: number;
  partsAfter: number;
  bytesBefore: number;
  bytesAfter: number;
  /** Number of repeated answers that were dropped. */
  dropped: number;
}

// Largest size of a joined part. It is large enough that there are few parts, and small enough to read, hash and copy a
// part as a whole.
const PART_BYTES = 256 * 2 ** 20;

/**
 * Joins the small parts of each ended run and stream. With `dropRepeatsBefore`, also drops repeated answers: those that
 * equal the answers before and after them, byte for byte. Changes only parts that the warehouse has loaded. All other
 * rows stay the same.
 *
 * The manifest of a joined part names the parts that it replaces, and readers ignore the replaced parts. The replaced
 * parts are removed when the joined part is in place. So after a crash at any moment, readers see each row exactly
 * once.
 * @throws TidemarkError `WarehouseBusy` while a replay reads the landing zone
 * @throws ModelFailedError when a joined part differs from the rows of its source parts; nothing is removed then
 */
export async function compactLanding(warehouse: Warehouse, data: Data, request: CompactRequest): Promise<Compacted> {
  return whileNobodyReplays(data.dataDir, 'tidemark compact', () => compact(warehouse.db, data, request));
}

async function compact(db: Database, data: Data, request: CompactRequest): Promise<Compacted> {
  const { dataDir } = data;
  const { minParts, dropRepeatsBefore } = request;
  // Finish the work of an earlier call that was interrupted.
  await removeReplaced(data);
  await adoptCompacted(db, readManifests(dataDir));
  await findRepeats(db, dropRepeatsBefore);
  const total: Compacted = { folders: 0, partsBefore: 0, partsAfter: 0, bytesBefore: 0, bytesAfter: 0, dropped: 0 };
  for (const parts of await foldersToCompact(db, dataDir)) {
    if (parts.length < Math.max(minParts, 2) && !(await haveRepeats(db, parts))) continue;
    const joined: LandedPart[] = [];
    for (const group of splitBySize(parts)) joined.push(await replaceParts(db, data, group, withoutRepeats));
    total.folders++;
    total.partsBefore += parts.length;
    total.partsAfter += joined.length;
    total.bytesBefore += sum(parts, ({ bytes }) => bytes);
    total.bytesAfter += sum(joined, ({ bytes }) => bytes);
    total.dropped += sum(parts, ({ rows }) => rows) - sum(joined, ({ rows }) => rows);
  }
  await adoptCompacted(db, readManifests(dataDir));
  await removeReplaced(data);
  return total;
}

/**
 * Returns lists of parts, one list for each folder to compact: all its parts are loaded, and its run has ended. Webhook
 * deliveries belong to no run, so their folders are included when their day has passed. Skips the stream `runs`,
 * because other code reads it part by part.
 */
async function foldersToCompact(db: Database, dataDir: string): Promise<LandedPart[][]> {
  const namesOf = async (sql: string): Promise<ReadonlySet<string>> =>
    new Set((await db.rows<{ name: string }>(sql)).map(({ name }) => name));
  const loaded = await namesOf('SELECT sha256 AS name FROM ledger.loaded_parts');
  const ended = await namesOf(
    `SELECT run AS name FROM ledger.run_records WHERE stream = 'runs' AND (body ->> '$.finished_at') IS NOT NULL`,
  );
  const folders = new Map<string, LandedPart[]>();
  for (const part of readManifests(dataDir)) {
    const folder = path.dirname(part.file);
    folders.set(folder, [...(folders.get(folder) ?? []), part]);
  }
  const today = utcDay(new Date());
  const hasEnded = (run: string, date: string): boolean => ended.has(run) || (run === WEBHOOK_RUN && date < today);
  return [...folders].flatMap(([folder, parts]) => {
    const isWhole = parts.every(
      ({ run, date, stream, sha256 }) => hasEnded(run, date) && loaded.has(sha256) && stream !== 'runs',
    );
    // While the folder has a spool, a process may be writing a chunk of it. A killed receiver may leave temporary files.
    return isWhole && namesIn(spoolsDir(folder), 'part-').length === 0 ? [parts] : [];
  });
}

/** Fills the temp table `repeats` with the answers that equal the previous and the next answer of the same entity. */
async function findRepeats(db: Database, before: Date | undefined): Promise<void> {
  await db.run(
    `CREATE OR REPLACE TEMP TABLE repeats AS
     SELECT DISTINCT stream, run, entity_id, observed_at, body_hash
     FROM (
       SELECT *,
         lag((body_hash, status, scope_year)) OVER entity AS said_before, lag(observed_at) OVER entity AS before_at,
         lead((body_hash, status, scope_year)) OVER entity AS said_after, lead(observed_at) OVER entity AS after_at
       FROM ledger.observations
       WHERE list_contains([${SINGLE_STREAMS.map(quote).join(', ')}], stream)
       WINDOW entity AS (PARTITION BY stream, entity_id ORDER BY observed_at, body_hash)
     )
     WHERE observed_at < CAST($before AS TIMESTAMPTZ) AND readable
       AND said_before = (body_hash, status, scope_year) AND said_after = (body_hash, status, scope_year)
       AND before_at < observed_at AND observed_at < after_at`,
    { before: before?.toISOString() ?? '-infinity' },
  );
}

const IS_REPEAT = `
  r.stream = p.stream AND r.run = p.run AND r.entity_id = p.entity_id
  AND r.observed_at = CAST(p.fetched_at AS TIMESTAMPTZ) AND r.body_hash = p.sha256`;

/** Returns a query for the rows of `parts` that are not repeated answers. */
function withoutRepeats(parts: string): string {
  return `SELECT p.* FROM ${parts} AS p WHERE NOT EXISTS (FROM repeats AS r WHERE ${IS_REPEAT})`;
}

async function haveRepeats(db: Database, [part]: readonly LandedPart[]): Promise<boolean> {
  const { stream = '', run = '' } = part ?? {};
  return (await db.count('SELECT count(*) FROM repeats WHERE stream = $stream AND run = $run', { stream, run })) > 0;
}

function splitBySize(parts: LandedPart[]): LandedPart[][] {
  const groups: LandedPart[][] = [];
  let bytes = Infinity;
  for (const part of parts) {
    if (bytes + part.bytes > PART_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(part);
    bytes += part.bytes;
  }
  return groups;
}

function sum<T>(values: T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
