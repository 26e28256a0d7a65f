import { renameSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../store/files.js';
import { rejectsFile } from '../../store/data-folder.js';
import type { LandedPart } from '../../landing/index.js';
import type { Database } from '../duckdb/database.js';
import { quote } from '../duckdb/sql-files.js';
import { partKey } from './part-check.js';
import type { Data } from '../../store/data.js';

const COLUMNS = 'stream, entity_id, reason, path, raw, observed_at, request_key';
const ORDER = 'entity_id, path, reason, observed_at';

/**
 * Writes the rejects of the current batch to `data/rejects/<stream>/date=…/run=…/<part>.ndjson`. Each reject is one
 * JSON line with the full raw value. A second load of the same part writes the same file. With the data in a bucket,
 * gives the files, so that they survive the loss of this machine.
 * @returns the number of rejects by the part's key
 */
export async function writeRejectFiles(db: Database, data: Data): Promise<Map<string, number>> {
  const found = await db.rows<PartOfRejects & { rejects: string }>(
    'SELECT stream, CAST(date AS VARCHAR) AS date, run, part, count(*) AS rejects FROM batch_rejects JOIN batch USING (row_id) GROUP BY ALL',
  );
  for (const part of found) await writeFileOf(db, data, part);
  return new Map(found.map((part) => [partKey(part), Number(part.rejects)]));
}

type PartOfRejects = Pick<LandedPart, 'stream' | 'date' | 'run' | 'part'>;

async function writeFileOf(db: Database, data: Data, place: PartOfRejects): Promise<void> {
  const { stream, date, run, part } = place;
  const file = rejectsFile({ data, stream, date, run }, part);
  makeFolderSync(path.dirname(file));
  await db.run(
    `COPY (
      SELECT ${COLUMNS} FROM batch_rejects JOIN batch USING (row_id)
      WHERE stream = ${quote(stream)} AND part = ${quote(part)} AND run = ${quote(run)} AND date = CAST(${quote(date)} AS DATE)
      ORDER BY ${ORDER}
    ) TO ${quote(`${file}.tmp`)} (FORMAT json)`,
  );
  renameSync(`${file}.tmp`, file);
  await data.give(file);
}
