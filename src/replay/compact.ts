import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { WEBHOOK_RUN, type PartManifest } from '../../schemas/pipeline/landing.js';
import { SINGLE_STREAMS } from '../../schemas/pipeline/streams.js';
import { syncFolder, writeFileAtomic } from '../core/files.js';
import {
  footerOf,
  manifestFile,
  manifestName,
  manifestsDir,
  partName,
  readManifests,
  spoolsDir,
  type LandedPart,
} from '../landing/index.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { syncFile } from '../builds/links.js';
import { adoptCompacted } from '../load/load.js';
import { whileNobodyReplays } from '../duckdb/locks.js';
import type { Warehouse } from '../duckdb/open.js';
import { findPartFault } from '../load/part-check.js';
import { quote } from '../duckdb/sql-files.js';

/** Selects the parts to join and the answers to drop. */
export interface CompactRequest {
  /** Smallest number of parts of a run and stream to join. Fewer parts stay as they are. */
  minParts: number;
  /** Drop an answer older than this if it equals the answer before and the answer after, byte for byte. */
  dropRepeatsBefore?: Date | undefined;
}

/** Result of `compactLanding`. */
export interface Compacted {
  /** Number of run folders that now have fewer or smaller parts. */
  folders: number;
  partsBefore: number;
  partsAfter: number;
  bytesBefore: number;
  bytesAfter: number;
  /** Number of repeated answers that were dropped. */
  dropped: number;
}

const COLUMNS = 'stream, run, date, market, request_key, entity_id, segment, status, fetched_at, body, sha256';
// Largest size of a joined part: large enough to keep parts few, small enough to read, hash and copy a part as a whole.
const PART_BYTES = 256 * 2 ** 20;
// The smallest row group DuckDB writes. Several row groups let DuckDB read one part with all its threads.
const ROW_GROUP_ROWS = 2_048;

/**
 * Joins the small parts of each ended run and stream, and drops repeated answers. A repeated answer equals the answers
 * before and after it, byte for byte. Changes only parts that the warehouse has loaded. Rows that are not dropped do
 * not change.
 *
 * The manifest of a joined part names the parts it replaces, and readers ignore the replaced parts. Removes the
 * replaced parts only when the joined part is in place. After a crash at any moment, each row therefore exists exactly
 * once.
 * @throws TidemarkError `WarehouseBusy` while a replay reads the landing zone
 * @throws ModelFailedError when a joined part differs from the rows of its source parts; nothing is removed then
 */
export async function compactLanding(
  warehouse: Warehouse,
  dataDir: string,
  request: CompactRequest,
): Promise<Compacted> {
  return whileNobodyReplays(dataDir, () => compact(warehouse.db, dataDir, request));
}

async function compact(db: Database, dataDir: string, request: CompactRequest): Promise<Compacted> {
  const { minParts, dropRepeatsBefore } = request;
  // Finish the work of an interrupted call.
  await removeReplaced(dataDir);
  await adoptCompacted(db, readManifests(dataDir));
  await findRepeats(db, dropRepeatsBefore);
  const total: Compacted = { folders: 0, partsBefore: 0, partsAfter: 0, bytesBefore: 0, bytesAfter: 0, dropped: 0 };
  await db.run('SET preserve_insertion_order = true');
  try {
    for (const parts of await foldersToCompact(db, dataDir)) {
      const repeats = await countRepeats(db, parts);
      if (parts.length < Math.max(minParts, 2) && repeats === 0) continue;
      const joined: LandedPart[] = [];
      for (const group of splitBySize(parts)) joined.push(await joinParts(db, dataDir, group));
      total.folders++;
      total.partsBefore += parts.length;
      total.partsAfter += joined.length;
      total.bytesBefore += sum(parts, ({ bytes }) => bytes);
      total.bytesAfter += sum(joined, ({ bytes }) => bytes);
      total.dropped += sum(parts, ({ rows }) => rows) - sum(joined, ({ rows }) => rows);
    }
  } finally {
    await db.run('SET preserve_insertion_order = false');
  }
  await adoptCompacted(db, readManifests(dataDir));
  await removeReplaced(dataDir);
  return total;
}

/**
 * Parts by folder, for each folder whose parts are all loaded and whose run has ended. Webhook deliveries have no run:
 * their folders of earlier days are included. Skips the stream `runs`, because other code reads it part by part.
 */
async function foldersToCompact(db: Database, dataDir: string): Promise<LandedPart[][]> {
  const loaded = new Set(
    (await db.rows<{ sha256: string }>('SELECT sha256 FROM ledger.loaded_parts')).map(({ sha256 }) => sha256),
  );
  const ended = new Set(
    (
      await db.rows<{ run: string }>(
        `SELECT run FROM ledger.run_records WHERE stream = 'runs' AND (body ->> '$.finished_at') IS NOT NULL`,
      )
    ).map(({ run }) => run),
  );
  const folders = new Map<string, LandedPart[]>();
  for (const part of readManifests(dataDir)) {
    const folder = path.dirname(part.file);
    folders.set(folder, [...(folders.get(folder) ?? []), part]);
  }
  const today = new Date().toISOString().slice(0, 10);
  const hasEnded = (run: string, date: string): boolean => ended.has(run) || (run === WEBHOOK_RUN && date < today);
  return [...folders].flatMap(([folder, parts]) => {
    const isWhole = parts.every(
      ({ run, date, stream, sha256 }) => hasEnded(run, date) && loaded.has(sha256) && stream !== 'runs',
    );
    return isWhole && isQuiet(folder) ? [parts] : [];
  });
}

/** True when the folder has no spool file, so that no chunk of it is in flight. */
function isQuiet(folder: string): boolean {
  const spool = spoolsDir(folder);
  return !existsSync(spool) || readdirSync(spool).length === 0;
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
       WHERE list_contains($streams, stream)
       WINDOW entity AS (PARTITION BY stream, entity_id ORDER BY observed_at, body_hash)
     )
     WHERE observed_at < CAST($before AS TIMESTAMPTZ) AND readable
       AND said_before = (body_hash, status, scope_year) AND said_after = (body_hash, status, scope_year)
       AND before_at < observed_at AND observed_at < after_at`.replace(
      '$streams',
      `[${SINGLE_STREAMS.map(quote).join(', ')}]`,
    ),
    { before: before?.toISOString() ?? '-infinity' },
  );
}

const IS_REPEAT = `
  r.stream = p.stream AND r.run = p.run AND r.entity_id = p.entity_id
  AND r.observed_at = CAST(p.fetched_at AS TIMESTAMPTZ) AND r.body_hash = p.sha256`;

async function countRepeats(db: Database, parts: LandedPart[]): Promise<number> {
  const [first] = parts;
  if (first === undefined || !SINGLE_STREAMS.includes(first.stream as never)) return 0;
  return db.count('SELECT count(*) FROM repeats WHERE stream = $stream AND run = $run', {
    stream: first.stream,
    run: first.run,
  });
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

/** Merges parts into one without repeated answers, and writes its manifest. */
async function joinParts(db: Database, dataDir: string, parts: LandedPart[]): Promise<LandedPart> {
  for (const part of parts) {
    const fault = await findPartFault(part);
    if (fault !== undefined) throw unsound(fault);
  }
  const [first] = parts as [LandedPart];
  const replaces = parts.map(({ part, sha256 }) => ({ part, sha256 }));
  const chunk = `joined-${createHash('sha256').update(JSON.stringify(replaces)).digest('hex').slice(0, 12)}`;
  const folder = path.dirname(first.file);
  const file = path.join(folder, partName(chunk));
  const temporary = `${file}.tmp`;
  const files = `[${parts.map((part) => quote(part.file)).join(', ')}]`;
  const rows = `
    FROM read_parquet(${files}, hive_partitioning = false, filename = true, file_row_number = true) AS p
    WHERE NOT EXISTS (FROM repeats AS r WHERE ${IS_REPEAT})`;
  const asLanded = `ORDER BY list_position(${files}, filename), file_row_number`;
  const kept = `SELECT ${COLUMNS} ${rows} ${asLanded}`;
  // Compute the same content hash as for parts that a crawl writes.
  const [{ content } = { content: '' }] = await db.rows<{ content: string }>(
    `SELECT sha256(coalesce(string_agg(sha256 || chr(10), '' ${asLanded}), '')) AS content ${rows}`,
  );
  const footer = { ...footerOf({ ...first, dataDir, chunk }), content };
  const metadata = Object.entries(footer)
    .map(([key, value]) => `${quote(key)}: ${quote(value)}`)
    .join(', ');
  await db.run(
    `COPY (${kept}) TO ${quote(temporary)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, KV_METADATA {${metadata}})`,
  );
  await syncFile(temporary);
  // All columns have simple types, so hash() detects every difference.
  const summary = (from: string): Promise<object[]> =>
    db.rows(`SELECT count(*) AS rows, CAST(bit_xor(hash(t)) AS VARCHAR) AS content,
      min(fetched_at) AS first_at, max(fetched_at) AS last_at FROM (${from}) AS t`);
  const [wanted, written] = [
    await summary(kept),
    await summary(`SELECT ${COLUMNS} FROM read_parquet(${quote(temporary)}, hive_partitioning = false)`),
  ];
  if (JSON.stringify(wanted) !== JSON.stringify(written)) {
    await rm(temporary, { force: true });
    throw unsound(`the joined part ${temporary} differs from its source parts`);
  }
  const bytes = readFileSync(temporary);
  const fetched = parts
    .flatMap((part) => [part.firstFetchedAt, part.lastFetchedAt])
    .filter((at) => at !== null)
    .toSorted((a, b) => a.localeCompare(b));
  const manifest: PartManifest = {
    stream: first.stream,
    run: first.run,
    date: first.date,
    market: first.market,
    chunk,
    part: partName(chunk),
    rows: Number((written[0] as { rows: string }).rows),
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    firstFetchedAt: fetched[0] ?? null,
    lastFetchedAt: fetched.at(-1) ?? null,
    writtenAt: new Date().toISOString(),
    replaces,
  };
  await rename(temporary, file);
  await syncFolder(folder);
  await writeFileAtomic(manifestFile(folder, chunk), `${JSON.stringify(manifest)}\n`);
  return { ...manifest, file };
}

/** Removes the parts that a joined part replaces. Removes each manifest first, so that no manifest lacks its file. */
async function removeReplaced(dataDir: string): Promise<void> {
  for (const part of readManifests(dataDir)) {
    if (part.replaces === undefined || (await findPartFault(part)) !== undefined) continue;
    const folder = path.dirname(part.file);
    for (const { part: name } of part.replaces) {
      await rm(path.join(manifestsDir(folder), manifestName(name)), { force: true });
      await rm(path.join(folder, name), { force: true });
    }
  }
}

function sum<T>(values: T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

function unsound(what: string): ModelFailedError {
  return new ModelFailedError(`Compaction: ${what}.`, 'No part was removed. Check the disk, then compact again.');
}
