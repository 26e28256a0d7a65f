import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PartManifest } from '../../../schemas/pipeline/landing.js';
import { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { syncFile, syncFolder, tryReadJson } from '../../store/files.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { ModelFailedError } from '../../warehouse/duckdb/errors.js';
import { quote } from '../../warehouse/duckdb/sql-files.js';
import {
  footerOf,
  listLanded,
  manifestName,
  manifestsDir,
  partName,
  placeManifest,
  pullManifests,
  pullParts,
  readManifests,
  readQuarantine,
  type LandedPart,
} from '../../landing/index.js';
import { findPartFault } from '../../warehouse/load/part-check.js';
import { assertWriter } from '../../warehouse/duckdb/writer.js';
import type { Data } from '../../store/data.js';

const COLUMNS = 'stream, run, date, market, request_key, entity_id, row_kind, status, fetched_at, body, sha256';
// The smallest row group that DuckDB writes. With several row groups, DuckDB reads one part with all its threads.
const ROW_GROUP_ROWS = 2_048;

/**
 * Writes the rows of several parts of one folder as one new part with a manifest. The manifest names the replaced
 * parts, so readers ignore them from then on. `removeReplaced` removes their files.
 * @param select returns the query of the rows to keep. Its argument is a relation with the columns of landed rows,
 * filename and file_row_number. The query must return the same columns
 * @throws ModelFailedError when a part is damaged, or the new part differs from the query
 * @throws LeaseLostError when another process writes the warehouse now (data in a bucket); nothing is replaced
 */
export async function replaceParts(
  db: Database,
  data: Data,
  parts: LandedPart[],
  select: (relation: string) => string,
): Promise<LandedPart> {
  await pullParts(data, parts);
  for (const part of parts) {
    const fault = await findPartFault(part);
    if (fault !== undefined) throw unsound(fault);
  }
  const [first] = parts as [LandedPart];
  const replaces = parts.map(({ part, sha256 }) => ({ part, sha256 }));
  const chunk = `joined-${createHash('sha256').update(JSON.stringify(replaces)).digest('hex').slice(0, 12)}`;
  const folder = path.dirname(first.file);
  const temporary = path.join(folder, `part-${chunk}.parquet.tmp`);
  const files = `[${parts.map((part) => quote(part.file)).join(', ')}]`;
  const rows = `(${select(`read_parquet(${files}, hive_partitioning = false, filename = true, file_row_number = true)`)})`;
  const order = `list_position(${files}, filename), file_row_number`;
  // `content` is the same hash as the crawl computes for its parts. All columns have plain types, for which hash() shows
  // every difference.
  const summarize = (from: string, by: string): Promise<{ rows: string; content: string; all: string }[]> =>
    db.rows(`SELECT count(*) AS rows, sha256(coalesce(string_agg(sha256 || chr(10), '' ORDER BY ${by}), '')) AS content,
      CAST(bit_xor(hash(hash((${COLUMNS})))) AS VARCHAR) AS all FROM ${from}`);
  const [wanted] = await summarize(rows, order);
  const footer = { ...footerOf({ ...first, chunk }), content: wanted?.content ?? '' };
  const metadata = Object.entries(footer)
    .map(([key, value]) => `${quote(key)}: ${quote(value)}`)
    .join(', ');
  await db.run(
    `COPY (SELECT ${COLUMNS} FROM ${rows} ORDER BY ${order}) TO ${quote(temporary)}
     (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, KV_METADATA {${metadata}})`,
  );
  await syncFile(temporary);
  const written = `read_parquet(${quote(temporary)}, hive_partitioning = false, file_row_number = true)`;
  if (JSON.stringify([wanted]) !== JSON.stringify(await summarize(written, 'file_row_number'))) {
    await rm(temporary, { force: true });
    throw unsound(`the new part ${temporary} differs from its source parts`);
  }
  const bytes = readFileSync(temporary);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = partName(chunk, sha256);
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
    part: name,
    rows: Number(wanted?.rows),
    bytes: bytes.byteLength,
    sha256,
    firstFetchedAt: fetched[0] ?? null,
    lastFetchedAt: fetched.at(-1) ?? null,
    writtenAt: new Date().toISOString(),
    replaces,
  };
  const file = path.join(folder, name);
  await rename(temporary, file);
  await syncFolder(folder);
  await data.give(file);
  await assertWriter(data);
  if (await placeManifest(data, folder, manifest)) return { ...manifest, file };
  // The other process may have joined the same parts to the same file.
  const standing = tryReadJson(path.join(manifestsDir(folder), manifestName(name)), PartManifest);
  if (standing?.part !== name) await data.remove(file);
  throw unsound(`another process has replaced the parts of ${folder}`);
}

/**
 * Removes the parts that a new part replaces, also in quarantine. Removes the manifest before its part, so that no
 * manifest is left without a part.
 * @throws LeaseLostError as `replaceParts`
 */
export async function removeReplaced(data: Data): Promise<void> {
  const { dataDir } = data;
  await pullManifests(data);
  const there = await listLanded(data);
  const quarantined = await readQuarantine(data, LandingStream.options);
  for (const part of [...readManifests(dataDir), ...quarantined.parts]) {
    const folder = path.dirname(part.file);
    const files = (part.replaces ?? []).flatMap(({ part: name }) => [
      path.join(manifestsDir(folder), manifestName(name)),
      path.join(folder, name),
    ]);
    const left = files.filter((file) => existsSync(file) || there?.has(file));
    if (left.length === 0) continue;
    await pullParts(data, [part], { skipFaulty: true });
    if ((await findPartFault(part)) !== undefined) continue;
    await assertWriter(data);
    for (const file of left) await data.remove(file);
  }
}

function unsound(what: string): ModelFailedError {
  return new ModelFailedError(
    `Landing zone: ${what}.`,
    'No part was removed. Check the disk, then run the command again.',
  );
}
