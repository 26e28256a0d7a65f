import { readFileSync, statSync, utimesSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { writeFileAtomic } from '../../store/files.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import type { LandedPart } from '../../landing/index.js';
import { readSpool } from '../../landing/spool.js';
import { sha256Of, type PeopleRow } from '../../privacy/forgotten.js';
import { replaceParts } from '../compact/replace-parts.js';

/** A landed row, with the fields that `tidemark forget` needs. */
export interface StoredRow extends PeopleRow {
  /** ISO time. */
  fetched_at: string;
}

/** Returns the row to keep. Returns the same object if nothing changes, or null to drop the row. */
export type Change = (stream: LandingStream, row: StoredRow) => StoredRow | null;

/** Yields the rows of a part's file with their positions. While it runs, no other query may use the database. */
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

const CHANGED = `columns = {position: 'BIGINT', dropped: 'BOOLEAN', request_key: 'VARCHAR', entity_id: 'VARCHAR', status: 'INTEGER',
  body: 'VARCHAR', sha256: 'VARCHAR'}, format = 'newline_delimited', maximum_object_size = 1073741824`;

/**
 * Writes a part again without the content that `change` removes. The new part replaces the old part; `removeReplaced`
 * then removes the old part.
 * @returns Number of changed rows; 0 if the part stays as it is
 */
export async function rewritePart(db: Database, dataDir: string, part: LandedPart, change: Change): Promise<number> {
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
      await handle.appendFile(
        `${JSON.stringify({ position: at, dropped: after === null, ...kept, sha256: sha256Of(kept.body) })}\n`,
      );
    }
    await handle.close();
    if (changed === 0) return 0;
    await replaceParts(
      db,
      dataDir,
      [part],
      (relation) => `
        SELECT p.* REPLACE (
          CASE WHEN c.position IS NULL THEN p.request_key ELSE c.request_key END AS request_key,
          CASE WHEN c.position IS NULL THEN p.entity_id ELSE c.entity_id END AS entity_id,
          CASE WHEN c.position IS NULL THEN p.status ELSE c.status END AS status,
          CASE WHEN c.position IS NULL THEN p.body ELSE c.body END AS body,
          CASE WHEN c.position IS NULL THEN p.sha256 ELSE c.sha256 END AS sha256
        )
        FROM ${relation} AS p
        LEFT JOIN read_json(${quote(file)}, ${CHANGED}) AS c ON c.position = p.file_row_number
        WHERE c.dropped IS NOT TRUE`,
    );
    return changed;
  } finally {
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
  }
}

/**
 * Rewrites a spool that no process writes. Also drops incomplete lines.
 * @returns Number of changed or dropped rows
 */
export async function rewriteSpool(stream: LandingStream, file: string, change: Change): Promise<number> {
  const lines: string[] = [];
  let changed = 0;
  for await (const { row } of readSpool(file)) {
    if (row === undefined) continue;
    const after = change(stream, row);
    if (after !== row) changed++;
    if (after === null) continue;
    lines.push(JSON.stringify(after === row ? row : { ...row, ...after, sha256: sha256Of(after.body) }));
  }
  const text = lines.map((line) => `${line}\n`).join('');
  if (text !== readFileSync(file, 'utf8')) {
    const { atime, mtime } = statSync(file);
    await writeFileAtomic(file, text);
    // Restore the file's times. A new time would look as if a worker were writing this spool.
    utimesSync(file, atime, mtime);
  }
  return changed;
}
