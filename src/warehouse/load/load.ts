import { existsSync } from 'node:fs';
import { RECORD_STREAMS } from '../../../schemas/streams/landing-streams.js';
import { DamagedFileError } from '../../store/disk-errors.js';
import { errorMessage } from '../../base/errors.js';
import { dropFiles, pullManifests, pullParts, type LandedPart } from '../../landing/index.js';
import type { Database } from '../duckdb/database.js';
import { LandingCorruptError, type LoadCounts } from '../duckdb/errors.js';
import { insertRows } from '../duckdb/insert-rows.js';
import { memoryLimit, OutOfMemoryError } from '../duckdb/memory-limit.js';
import { withMoreMemory } from '../duckdb/more-memory.js';
import { useThreadsFor } from '../duckdb/threads.js';
import { isOfContent, loadIsolated, UnreadablePartError, type RowChoice } from './isolate.js';
import { loadDrift } from './load-drift.js';
import type { Warehouse } from '../duckdb/open.js';
import { foldSightings } from './market-stays.js';
import { findPartFault, listParts, partKey } from './part-check.js';
import { writeRejectFiles } from './reject-files.js';
import { stage } from './stage.js';
import { quote, readSqlFile } from '../duckdb/sql-files.js';
import { formatCount, plural } from '../../../schemas/format.js';
import type { Data } from '../../store/data.js';

// How often the files of a batch are taken, if another process removes them.
const MOST_ATTEMPTS = 5;
// Largest batch. One transaction loads a batch, and the staging SQL of the stream reads all its rows at once. So all
// bodies of a batch must fit into memory.
const BATCH_ROWS = 20_000;
const BATCH_BYTES = 64 * 1024 * 1024;
// Largest batch of a stream with large bodies, in rows, because staging keeps several copies of each body in memory. A
// page has up to 100 entries, and src/landing/listing-writer.ts writes 100 pages of a listing to a part. A v1 report has
// about 10 KB; if a batch needs more memory than DuckDB's limit, the load runs it again with twice the limit.
const LARGE_BODIES: Readonly<Record<string, number>> = {
  prospecting: 400,
  tenders: 100,
  watched_companies: 100,
  financials_v1: 1_000,
};

/** Options of `loadLanding`: which parts it loads, and where it writes rejects. */
export interface LoadOptions {
  /** Returns whether to load a part. Default: all. */
  isWanted?: (part: LandedPart) => boolean;
  /** Where to write `rejects/`. Default: the data. */
  rejectsIn?: Data | undefined;
  /** Keeps the files of loaded parts in a working copy, because the next load reads them again. Default: false. */
  keepFiles?: boolean;
  /** Looks for schema drift in the current batch. Default: `loadDrift`, which compares with `schemas/`. */
  drift?: (db: Database, stream: string) => Promise<void>;
}

/**
 * Loads every landed part that is not in the ledger yet. Each batch belongs to one stream, or to the streams of
 * RECORD_STREAMS, and is loaded in one transaction. If the process is killed, the next call continues after the last
 * loaded batch, and loads nothing twice.
 * @throws LandingCorruptError when parts do not match their manifests; all other parts are then loaded
 */
export async function loadLanding(warehouse: Warehouse, data: Data, options: LoadOptions = {}): Promise<LoadCounts> {
  const { dataDir } = data;
  const { db } = warehouse;
  const { isWanted = () => true, rejectsIn = data, keepFiles = false, drift = loadDrift } = options;
  await pullManifests(data);
  const { parts, faults } = listParts(dataDir);
  await adoptCompacted(db, parts);
  const loaded = await readLoadedParts(db);
  const fresh: LandedPart[] = [];
  for (const part of parts.filter(isWanted)) {
    const known = loaded.get(partKey(part));
    if (known === undefined) fresh.push(part);
    else if (known !== part.sha256)
      faults.push(
        `${part.file} differs from the part that was loaded under this name (after restoring a backup, run \`tidemark replay\`)`,
      );
  }
  const counts: LoadCounts = { parts: 0, rows: 0, rejects: 0 };
  let setAside = 0;
  let firstSetAside: string | undefined;
  /** Keys of the parts that this call has loaded. A batch that failed in the middle may run again. */
  const done = new Set<string>();

  /** Loads parts in one transaction. If that fails, loads each half, and in the end one part without its failing rows. */
  const loadParts = async (batch: LandedPart[]): Promise<void> => {
    await useThreadsFor(db, batch);
    const load = async (choice: RowChoice = {}, trial = false): Promise<number> => {
      const found = await loadOnce(db, batch, { drift, rejectsIn, choice, trial });
      if (found.driftFault !== undefined) counts.driftFault ??= found.driftFault;
      return found.rejects;
    };
    try {
      counts.rejects += await load();
    } catch (error) {
      if (!isOfContent(error) || batch.some(({ file }) => !existsSync(file))) throw error;
      const [part] = batch;
      if (batch.length > 1 || part === undefined) {
        const middle = Math.ceil(batch.length / 2);
        await loadParts(batch.slice(0, middle));
        return loadParts(batch.slice(middle));
      }
      const isolated = await loadIsolated(db, part, load, error).catch((reason: unknown) => {
        if (!(reason instanceof UnreadablePartError)) throw reason;
        faults.push(reason.message);
      });
      if (isolated === undefined) return;
      counts.rejects += isolated.rejects;
      setAside += isolated.refused;
      firstSetAside ??= `${part.file}: ${errorMessage(error).split('\n', 1)[0]}`;
    }
    for (const part of batch) done.add(partKey(part));
    counts.parts += batch.length;
    counts.rows += batch.reduce((sum, part) => sum + part.rows, 0);
  };

  for (const found of splitIntoBatches(recordsLast(fresh))) {
    const finished = await whileFilesStay(data, found, faults, async (batch) => {
      const open = batch.filter((part) => !done.has(partKey(part)));
      if (open.length > 0) await loadParts(open);
    });
    if (!keepFiles) await dropFiles(data, finished);
  }
  // The models need more memory for a larger file, and the limit follows the size that the file had when it was opened.
  if (counts.parts > 0) await db.run(`SET memory_limit = '${memoryLimit(db.file)}'`);
  if (setAside > 0)
    counts.setAside = `${plural(setAside, 'landed answer')} could not be loaded and became rejects (not_loadable). The first is in ${firstSetAside} With more memory or a newer version of Tidemark, \`tidemark replay\` loads them.`;
  const gone = faults.length > 0 ? null : describeGone(parts, loaded);
  if (gone !== null) counts.gone = gone;
  if (faults.length > 0) throw new LandingCorruptError(faults, counts);
  return counts;
}

/**
 * Takes the files of a batch, if this machine lacks them, and passes the sound parts to `work`. Another process with this
 * working copy may remove a file meanwhile, because it has loaded it. Then takes the files again.
 * @param faults gets the faults of all other parts
 * @param work may run again after it failed, and then gets all sound parts again
 * @returns the sound parts
 */
async function whileFilesStay(
  data: Data,
  parts: readonly LandedPart[],
  faults: string[],
  work: (sound: LandedPart[]) => Promise<void>,
): Promise<LandedPart[]> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MOST_ATTEMPTS;
    const faulty = await pullParts(data, parts, { skipFaulty: true });
    const isRemoved = (): boolean =>
      data.isShared() && parts.some((part) => !faulty.includes(part) && !existsSync(part.file));
    try {
      const sound: LandedPart[] = [];
      const found: string[] = [];
      for (const part of parts) {
        const fault = await findPartFault(part);
        if (fault === undefined) sound.push(part);
        else found.push(fault);
      }
      if (found.length > 0 && isRemoved() && !isLast) continue;
      await work(sound);
      faults.push(...found);
      return sound;
    } catch (error) {
      if (isLast || !isRemoved()) throw error;
    }
  }
}

/**
 * Marks a joined part as loaded if all parts that it replaces were loaded, because the ledger then has its rows.
 * @throws LandingCorruptError when only some of the replaced parts were loaded, because a row might be loaded twice
 */
export async function adoptCompacted(db: Database, parts: LandedPart[]): Promise<void> {
  const joined = parts.filter(({ replaces }) => replaces !== undefined);
  if (joined.length === 0) return;
  const loaded = await readLoadedParts(db);
  const mixed: string[] = [];
  for (const part of joined) {
    if (loaded.has(partKey(part))) continue;
    const before = (part.replaces ?? []).map((replaced) => ({ ...part, ...replaced }));
    const known = before.filter((one) => loaded.get(partKey(one)) === one.sha256);
    if (known.length > 0 && known.length < before.length)
      mixed.push(`${part.file} replaces several parts, and the warehouse has loaded only some of them`);
    else if (known.length > 0) await db.transaction(() => adopt(db, part, before));
  }
  if (mixed.length > 0) {
    throw new LandingCorruptError(
      mixed,
      { parts: 0, rows: 0, rejects: 0 },
      'Run `tidemark replay`: it builds the warehouse again.',
    );
  }
}

async function adopt(db: Database, part: LandedPart, before: LandedPart[]): Promise<void> {
  const names = before.map((one) => quote(one.part)).join(', ');
  const { stream, date, run } = part;
  const replaced = `stream = ${quote(stream)} AND date = ${quote(date)} AND run = ${quote(run)} AND part IN (${names})`;
  const rejects = await db.count(`SELECT sum(rejects) FROM ledger.loaded_parts WHERE ${replaced}`);
  await db.run(`DELETE FROM ledger.loaded_parts WHERE ${replaced}`);
  await listLoaded(db, [part], new Map([[partKey(part), rejects]]));
}

const LOADED_PART = {
  stream: 'VARCHAR',
  date: 'VARCHAR',
  run: 'VARCHAR',
  part: 'VARCHAR',
  sha256: 'VARCHAR',
  rows: 'BIGINT',
  rejects: 'BIGINT',
};

/**
 * Records parts as loaded.
 * @param rejects number of rejected values by part
 */
async function listLoaded(db: Database, parts: LandedPart[], rejects: ReadonlyMap<string, number>): Promise<void> {
  const rows = parts.map((part) => ({ ...part, rejects: rejects.get(partKey(part)) ?? 0 }));
  await insertRows(db, 'ledger.loaded_parts', LOADED_PART, rows);
}

/** The check for schema drift failed. The message is the message of the cause. */
class DriftError extends Error {}

interface BatchOptions {
  drift: LoadOptions['drift'];
  rejectsIn: Data;
  choice: RowChoice;
  /** Rolls back, and writes no files of rejects. */
  trial: boolean;
}

/** Ends the transaction of a trial. */
class TrialEnded extends Error {}

/** Loads rows of a batch in one transaction. If the check for schema drift fails, loads them without the check. */
async function loadOnce(
  db: Database,
  batch: LandedPart[],
  options: BatchOptions,
): Promise<{ rejects: number; driftFault?: string }> {
  const load = (drift: LoadOptions['drift']): Promise<number> =>
    withMoreMemory(db, () =>
      db.transaction(async () => {
        const rejects = await loadBatch(db, batch, { ...options, drift });
        if (options.trial) throw new TrialEnded();
        return rejects;
      }),
    ).catch((error: unknown) => {
      if (error instanceof TrialEnded) return 0;
      throw error;
    });
  try {
    return { rejects: await load(options.drift) };
  } catch (error) {
    if (!(error instanceof DriftError)) throw error;
    return { rejects: await load(undefined), driftFault: error.message };
  }
}

/** Makes the view `parts` of the chosen rows. The column `refused` has the reason of refused rows. */
async function viewParts(db: Database, batch: LandedPart[], choice: RowChoice): Promise<void> {
  const { from, to, refused = [], withoutTexts = false } = choice;
  const files = batch.map((part) => quote(part.file)).join(', ');
  const conditions = [
    ...(from === undefined ? [] : [`file_row_number >= ${from}`]),
    ...(to === undefined ? [] : [`file_row_number < ${to}`]),
  ];
  const isRefused =
    refused === 'all' ? 'true' : refused.length === 0 ? 'false' : `file_row_number IN (${refused.join(', ')})`;
  const sentence = `'Its text is only in the landed part.'`;
  const body =
    refused === 'all' ? sentence : withoutTexts ? `CASE WHEN ${isRefused} THEN ${sentence} ELSE body END` : 'body';
  // row_id combines the file and the position of the row. So any statement can read the files again, with several
  // threads, and still match the rows.
  await db.run(`CREATE OR REPLACE TEMP VIEW parts AS
    SELECT * REPLACE (${body} AS body), (CAST(file_index AS BIGINT) << 32) + file_row_number AS row_id, parse_filename(filename) AS part,
      CASE WHEN ${isRefused} THEN 'not_loadable' END AS refused
    FROM read_parquet([${files}], filename = true, hive_partitioning = false)
    WHERE ${conditions.length === 0 ? 'true' : conditions.join(' AND ')}`);
}

async function loadBatch(db: Database, batch: LandedPart[], options: BatchOptions): Promise<number> {
  const { drift, rejectsIn, choice, trial } = options;
  const stream = batch[0]?.stream ?? '';
  await viewParts(db, batch, choice);
  await db.run(`SET VARIABLE stream = ${quote(stream)}`);
  await stage(db, stream);
  await drift?.(db, stream).catch((error: unknown) => {
    if (error instanceof OutOfMemoryError || error instanceof DamagedFileError) throw error;
    throw new DriftError(errorMessage(error), { cause: error });
  });
  await db.runFile(readSqlFile('staging/_finish.sql'));
  await foldSightings(db, stream);
  if (trial) return 0;
  const rejects = await writeRejectFiles(db, rejectsIn);
  await listLoaded(db, batch, rejects);
  return [...rejects.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * Moves the parts of RECORD_STREAMS to the end. These streams have few rows each, so one batch loads them all: each
 * batch has a fixed cost.
 */
function recordsLast(parts: readonly LandedPart[]): LandedPart[] {
  const isRecords = ({ stream }: LandedPart): boolean => RECORD_STREAMS.has(stream);
  return [...parts.filter((part) => !isRecords(part)), ...parts.filter(isRecords)];
}

/**
 * Splits parts into batches, in their given order. A new batch begins when a part of another stream follows, or when
 * the next part would exceed the limits. The streams of RECORD_STREAMS share batches.
 */
export function splitIntoBatches<Part extends Pick<LandedPart, 'stream' | 'rows' | 'bytes'>>(parts: Part[]): Part[][] {
  const kindOf = ({ stream }: Part): string => (RECORD_STREAMS.has(stream) ? 'records' : stream);
  const batches: Part[][] = [];
  let [rows, bytes] = [0, 0];
  for (const part of parts) {
    const current = batches.at(-1);
    rows += part.rows;
    bytes += part.bytes;
    const fits = rows <= (LARGE_BODIES[part.stream] ?? BATCH_ROWS) && bytes <= BATCH_BYTES;
    if (current?.[0] !== undefined && kindOf(current[0]) === kindOf(part) && fits) {
      current.push(part);
    } else {
      batches.push([part]);
      [rows, bytes] = [part.rows, part.bytes];
    }
  }
  return batches;
}

/** Returns a message about loaded parts that are missing in the landing zone; null if none is missing. */
export function describeGone(parts: readonly LandedPart[], loaded: ReadonlyMap<string, string>): string | null {
  const landed = new Set(parts.map(partKey));
  const gone = [...loaded.keys()].filter((key) => !landed.has(key));
  if (gone.length === 0) return null;
  const all = formatCount(gone.length);
  return `The warehouse contains rows of ${all} landed parts that are missing in the landing zone; the first is ${gone[0]}. Restore these parts from a backup. Without a backup, leave it so: only the warehouse has these rows, and a \`tidemark replay\` loses them.`;
}

/** Returns the hash of every loaded part, by the part's key. */
export async function readLoadedParts(db: Database): Promise<Map<string, string>> {
  const rows = await db.rows<Parameters<typeof partKey>[0] & { sha256: string }>(
    'SELECT stream, date, run, part, sha256 FROM ledger.loaded_parts',
  );
  return new Map(rows.map((row) => [partKey(row), row.sha256]));
}
