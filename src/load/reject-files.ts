import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { rejectsFile } from '../core/data-folder.js';
import type { LandedPart } from '../landing/index.js';
import type { Database } from '../duckdb/database.js';
import { quote } from '../duckdb/sql-files.js';

/**
 * Writes the rejects of the current batch to `data/rejects/<stream>/date=…/run=…/<part>.ndjson`. Each reject is one
 * JSON line with the full raw value. A second load of the same part writes the same file.
 * @returns the number of rejects by the part's key
 */
export async function writeRejectFiles(
  db: Database,
  dataDir: string,
  batch: LandedPart[],
): Promise<Map<string, number>> {
  const found = await db.rows<{ stream: string; date: string; run: string; part: string; rejects: string }>(
    'SELECT stream, CAST(date AS VARCHAR) AS date, run, part, count(*) AS rejects FROM batch_rejects JOIN batch USING (row_id) GROUP BY ALL',
  );
  const counts = new Map<string, number>();
  for (const { stream, date, run, part, rejects } of found) {
    const landed = batch.find(
      (each) => each.stream === stream && each.date === date && each.run === run && each.part === part,
    );
    if (landed === undefined) continue;
    counts.set(`${stream}/${date}/${run}/${part}`, Number(rejects));
    const file = rejectsFile({ dataDir, stream: landed.stream, date, run }, part);
    mkdirSync(path.dirname(file), { recursive: true });
    await db.run(
      `COPY (
        SELECT stream, entity_id, reason, path, raw, observed_at, request_key
        FROM batch_rejects JOIN batch USING (row_id)
        WHERE stream = ${quote(stream)} AND part = ${quote(part)} AND run = ${quote(run)} AND date = CAST(${quote(date)} AS DATE)
        ORDER BY entity_id, path, reason, observed_at
      ) TO ${quote(`${file}.tmp`)} (FORMAT json)`,
    );
    renameSync(`${file}.tmp`, file);
  }
  return counts;
}
