import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PartManifest } from '../../schemas/pipeline/landing.js';
import { syncFile } from '../builds/links.js';
import { syncFolder, writeFileAtomic } from '../core/files.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { quote } from '../duckdb/sql-files.js';
import {
  footerOf,
  manifestFile,
  manifestName,
  manifestsDir,
  partName,
  readManifests,
  type LandedPart,
} from '../landing/index.js';
import { findPartFault } from '../load/part-check.js';

const COLUMNS = 'stream, run, date, market, request_key, entity_id, segment, status, fetched_at, body, sha256';
// The smallest row group that DuckDB writes. With several row groups, DuckDB reads one part with all its threads.
const ROW_GROUP_ROWS = 2_048;

/**
 * Writes the rows of several parts of one folder as one new part with a manifest. The manifest names the replaced
 * parts, so readers ignore them from then on. `removeReplaced` removes their files.
 * @param select returns the query of the rows to keep. Its argument is a relation with the columns of landed rows,
 * filename and file_row_number. The query must return the same columns
 * @throws ModelFailedError when a part is damaged, or the new part differs from the query
 */
export async function replaceParts(
  db: Database,
  dataDir: string,
  parts: LandedPart[],
  select: (relation: string) => string,
): Promise<LandedPart> {
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
  const rows = `FROM (${select(
    `read_parquet(${files}, hive_partitioning = false, filename = true, file_row_number = true)`,
  )})`;
  const asLanded = `ORDER BY list_position(${files}, filename), file_row_number`;
  const kept = `SELECT ${COLUMNS} ${rows} ${asLanded}`;
  // Compute the same kind of content hash as the crawl does for its parts.
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
  // All columns have plain types, for which hash() shows every difference.
  const summary = (from: string): Promise<object[]> =>
    db.rows(`SELECT count(*) AS rows, CAST(bit_xor(hash(hash(t))) AS VARCHAR) AS content,
      min(fetched_at) AS first_at, max(fetched_at) AS last_at FROM (${from}) AS t`);
  const [wanted, written] = [
    await summary(kept),
    await summary(`SELECT ${COLUMNS} FROM read_parquet(${quote(temporary)}, hive_partitioning = false)`),
  ];
  if (JSON.stringify(wanted) !== JSON.stringify(written)) {
    await rm(temporary, { force: true });
    throw unsound(`the new part ${temporary} differs from its source parts`);
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

/**
 * Removes the parts that a new part replaces. Removes the manifest before its part, so that no manifest is left without
 * a part.
 */
export async function removeReplaced(dataDir: string): Promise<void> {
  for (const part of readManifests(dataDir)) {
    if (part.replaces === undefined || (await findPartFault(part)) !== undefined) continue;
    const folder = path.dirname(part.file);
    for (const { part: name } of part.replaces) {
      await rm(path.join(manifestsDir(folder), manifestName(name)), { force: true });
      await rm(path.join(folder, name), { force: true });
    }
  }
}

function unsound(what: string): ModelFailedError {
  return new ModelFailedError(
    `Landing zone: ${what}.`,
    'No part was removed. Check the disk, then run the command again.',
  );
}
