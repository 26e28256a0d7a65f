import { readFileSync, statSync, utimesSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { OwnerJob } from '../../crawl/streams/owners/job-state.js';
import { ownerJobsDir } from '../../store/data-folder.js';
import { namesIn, writeFileAtomic } from '../../store/files.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import { encodeFrame, frameOf, rowOf, type LandedPart } from '../../landing/index.js';
import { readSpool } from '../../landing/spool.js';
import { sha256Of, type PeopleRow } from '../../privacy/forgotten.js';
import { replaceParts } from '../compact/replace-parts.js';
import type { Data } from '../../store/data.js';

/** An answer, with the fields that `tidemark forget` needs. */
export interface StoredRow extends PeopleRow {
  /** ISO time. */
  fetched_at: string;
}

/** Returns the row to keep. Returns the same object if nothing changes, or null to drop the row. */
export type Change = (stream: LandingStream, row: StoredRow) => StoredRow | null;

/** A file that holds answers: a part, a spool that no process writes, or a job with an answer that is not landed yet. */
export interface AnswersFile {
  stream: LandingStream;
  file: string;
  /** Yields the answers. While it runs, no other query may use the database. */
  rows(): AsyncIterable<{ row: StoredRow }>;
  /** Writes the file again. Returns the number of changed answers; if it is 0, a part stays as it is. */
  rewrite(change: Change): Promise<number>;
}

/** A part. Rewriting it makes a new part that replaces it; `removeReplaced` then removes the old one. */
export function partFile(db: Database, data: Data, part: LandedPart): AnswersFile {
  return { ...part, rows: () => rowsOf(db, part.file), rewrite: (change) => rewritePart(db, data, part, change) };
}

/** Yields the rows of a part's file with their positions. */
export async function* rowsOf(db: Database, file: string): AsyncGenerator<{ at: number; row: StoredRow }> {
  const sql = `
    SELECT file_row_number, request_key, entity_id, status, replace(CAST(fetched_at AS VARCHAR), ' ', 'T') || 'Z', body
    FROM read_parquet(${quote(file)}, file_row_number = true, hive_partitioning = false)`;
  for await (const rows of db.stream(sql)) {
    for (const [at, request_key, entity_id, status, fetched_at, body] of rows) {
      yield { at: Number(at), row: { request_key, entity_id, status, fetched_at, body } as unknown as StoredRow };
    }
  }
}

// Columns of a landed row that a change may replace.
const COLUMNS = { request_key: 'VARCHAR', entity_id: 'VARCHAR', status: 'INTEGER', body: 'VARCHAR', sha256: 'VARCHAR' };
const CHANGED = Object.entries({ position: 'BIGINT', dropped: 'BOOLEAN', ...COLUMNS })
  .map(([name, type]) => `${name}: '${type}'`)
  .join(', ');
const REPLACED = Object.keys(COLUMNS).map(
  (name) => `CASE WHEN c.position IS NULL THEN p.${name} ELSE c.${name} END AS ${name}`,
);

async function rewritePart(db: Database, data: Data, part: LandedPart, change: Change): Promise<number> {
  // This file gets only the changed rows, without the removed content.
  const file = `${part.file}.changes.tmp`;
  let changed = 0;
  const handle = await open(file, 'w', 0o600);
  try {
    for await (const { at, row } of rowsOf(db, part.file)) {
      const after = change(part.stream, row);
      if (after === row) continue;
      changed++;
      const { fetched_at: _, ...kept } = after ?? { fetched_at: '', body: '' };
      const line = { position: at, dropped: after === null, ...kept, sha256: sha256Of(kept.body) };
      await handle.appendFile(`${JSON.stringify(line)}\n`);
    }
    if (changed === 0) return 0;
    await replaceParts(
      db,
      data,
      [part],
      (relation) => `
        SELECT p.* REPLACE (${REPLACED.join(', ')})
        FROM ${relation} AS p
        LEFT JOIN read_json(${quote(file)}, columns = {${CHANGED}}, format = 'newline_delimited', maximum_object_size = 1073741824)
          AS c ON c.position = p.file_row_number
        WHERE c.dropped IS NOT TRUE`,
    );
    return changed;
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

/** A spool that no process writes. Rewriting it also drops incomplete frames. */
export function spoolFile(stream: LandingStream, file: string): AnswersFile {
  return {
    stream,
    file,
    rows: async function* () {
      for (const frame of readSpool(file)) yield { row: rowOf(frame) };
    },
    rewrite: async (change) => {
      const kept: Buffer[] = [];
      let changed = 0;
      for (const frame of readSpool(file)) {
        const row = rowOf(frame);
        const after = change(stream, row);
        if (after !== row) changed++;
        if (after !== null) kept.push(...encodeFrame(after === row ? frame : frameOf({ ...row, ...after })));
      }
      const bytes = Buffer.concat(kept);
      if (bytes.equals(readFileSync(file))) return changed;
      const { atime, mtime } = statSync(file);
      await writeFileAtomic(file, bytes);
      // Restore the file's times. A new time would look as if a worker were writing this spool.
      utimesSync(file, atime, mtime);
      return changed;
    },
  };
}

/** The files of enrichment jobs that hold an answer about owners which is not landed yet. Leaves out damaged files. */
export function jobFiles(dataDir: string): AnswersFile[] {
  const folders = [ownerJobsDir(dataDir, 'open'), ownerJobsDir(dataDir, 'ended')];
  return folders
    .flatMap((folder) => namesIn(folder).map((name) => path.join(folder, name)))
    .flatMap((file) => {
      const job = readJob(file);
      return job?.row ? [jobFile(file, job, job.row)] : [];
    });
}

function jobFile(file: string, job: OwnerJob, row: NonNullable<OwnerJob['row']>): AnswersFile {
  const stream = 'ownership_jobs';
  return {
    stream,
    file,
    rows: async function* () {
      yield { row };
    },
    rewrite: async (change) => {
      const after = change(stream, row);
      if (after === row) return 0;
      await writeFileAtomic(file, `${JSON.stringify({ ...job, row: { ...row, ...(after ?? { body: '{}' }) } })}\n`);
      return 1;
    },
  };
}

function readJob(file: string): OwnerJob | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OwnerJob | null;
  } catch {
    return null;
  }
}
