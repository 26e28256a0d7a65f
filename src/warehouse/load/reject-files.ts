import { renameSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../store/files.js';
import { rejectsFile } from '../../store/data-folder.js';
import type { LandedPart } from '../../landing/index.js';
import type { Database } from '../duckdb/database.js';
import { quote } from '../duckdb/sql-files.js';
import { workingCopyOf } from '../../store/working-copy/open.js';

const COLUMNS = 'stream, entity_id, reason, path, raw, observed_at, request_key';
const ORDER = 'entity_id, path, reason, observed_at';

/**
 * Writes the rejects of the current batch to `data/rejects/<stream>/date=…/run=…/<part>.ndjson`. Each reject is one
 * JSON line with the full raw value. A second load of the same part writes the same file. With the data in a bucket,
 * gives the files, so that they survive the loss of this machine.
 * @returns the number of rejects by the part's key
 */
export async function writeRejectFiles(
  db: Database,
  dataDir: string,
  batch: LandedPart[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const found of await countRejects(db)) {
    const landed = batch.find((part) => keyOf(part) === keyOf(found));
    if (landed === undefined) continue;
    counts.set(keyOf(found), Number(found.rejects));
    await writeFileOf(db, dataDir, found);
  }
  return counts;
}

type PartOfRejects = Pick<LandedPart, 'stream' | 'date' | 'run' | 'part'>;

function keyOf({ stream, date, run, part }: PartOfRejects): string {
  return `${stream}/${date}/${run}/${part}`;
}

async function countRejects(db: Database): Promise<(PartOfRejects & { rejects: string })[]> {
  return db.rows(
    'SELECT stream, CAST(date AS VARCHAR) AS date, run, part, count(*) AS rejects FROM batch_rejects JOIN batch USING (row_id) GROUP BY ALL',
  );
}

async function writeFileOf(db: Database, dataDir: string, place: PartOfRejects): Promise<void> {
  const { stream, date, run, part } = place;
  const file = rejectsFile({ dataDir, stream, date, run }, part);
  makeFolderSync(path.dirname(file));
  await db.run(
    `COPY (
      SELECT ${COLUMNS} FROM batch_rejects JOIN batch USING (row_id)
      WHERE stream = ${quote(stream)} AND part = ${quote(part)} AND run = ${quote(run)} AND date = CAST(${quote(date)} AS DATE)
      ORDER BY ${ORDER}
    ) TO ${quote(`${file}.tmp`)} (FORMAT json)`,
  );
  renameSync(`${file}.tmp`, file);
  await workingCopyOf(dataDir)?.give(file);
}
