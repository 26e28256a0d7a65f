import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { runFolder } from '../store/data-folder.js';
import { hasErrorCode } from '../base/errors.js';
import { writeFileOnce } from '../store/files.js';
import { LandingStream, RECORD_STREAMS } from '../../schemas/streams/landing-streams.js';
import { encodeFrame, type Frame } from './frames.js';
import { landSpool } from './land-spool.js';
import { finishListing } from './listing-writer.js';
import { findReplacing, readManifests, readPartRows } from './manifest.js';
import { PartWriter } from './part-writer.js';
import { chunkOfSpool, manifestName, requireNoOldSpool, spoolFile, spoolsDir, type PartTarget } from './paths.js';
import { listPieces, readPieces, removeSpool } from './pieces.js';
import { pullManifests, pullParts } from './pull.js';
import { readSpool, Spool } from './spool.js';
import type { Data } from '../store/data.js';
import { WorkingCopy } from '../store/working-copy/working-copy.js';
import { sha256, sha256OfFile } from '../base/hash.js';

// Streams that must land completely or not at all, because half a list would look like the whole list. A later run
// reads these lists from their start.
const WHOLE_OR_NOT: ReadonlySet<string> = new Set(['tenders', 'watched_companies', 'nomenclatures']);

const LEFT = 'left-';

/**
 * Lands the spools that the chunks of an ended run left, so that no answered request is sent again. Removes the spools
 * of incomplete listings, and of incomplete records about the run itself. If this is interrupted, or runs in several
 * processes at the same time, each row still lands once.
 * @returns the number of rows of the spools that are now landed
 */
export async function adoptSpools(run: {
  data: Data;
  run: string;
  date: string;
  market: string | null;
}): Promise<number> {
  let rows = 0;
  for (const stream of LandingStream.options) {
    const folder = runFolder({ ...run, stream });
    // A listing may have been read to its end, but not committed completely. Then commit its remaining parts.
    if (WHOLE_OR_NOT.has(stream)) await finishListing({ ...run, stream, chunk: stream });
    for (const chunk of await spooled(run.data, folder)) {
      if (RECORD_STREAMS.has(stream) || WHOLE_OR_NOT.has(stream)) await removeSpool(run.data, spoolFile(folder, chunk));
      else rows += await adopt({ ...run, stream, chunk });
    }
  }
  return rows;
}

/**
 * Lands the rows of a spool. The chunk is not complete: if somebody resets the workflow, the run continues and can still
 * write a part with the chunk's own name. So the rows get another chunk name, which depends only on the spool's content.
 */
async function adopt(target: PartTarget): Promise<number> {
  const { data, chunk } = target;
  const spool = spoolFile(runFolder(target), chunk);
  let rows = 0;
  if (chunk.startsWith(LEFT)) {
    // The bucket still has the pieces of these rows, unless the rows are landed.
    if (!(data instanceof WorkingCopy)) rows = await landSpool(target);
  } else if (!(await isCommitted(target))) {
    const left = await (data instanceof WorkingCopy ? gatherPieces(data, target, spool) : moveSpool(target, spool));
    if (left !== null) rows = await landSpool({ ...target, chunk: left });
  }
  await removeSpool(data, spool);
  return rows;
}

async function isCommitted(target: PartTarget): Promise<boolean> {
  return (
    (await PartWriter.committed(target)) !== undefined || findReplacing(runFolder(target), target.chunk) !== undefined
  );
}

/** Moves the spool to its new chunk name. Returns this name; null if another process has moved the spool. */
async function moveSpool(target: PartTarget, spool: string): Promise<string | null> {
  try {
    const left = nameOf(target, await sha256OfFile(spool));
    const moved = spoolFile(runFolder(target), left);
    const known = await landedBefore(target, left);
    if (known === null) await rename(spool, moved);
    else {
      const fresh: Frame[] = [];
      for await (const frame of readSpool(spool)) if (!known.has(keyOf(frame.facts))) fresh.push(frame);
      await writeFileOnce(moved, Buffer.concat(fresh.flatMap(encodeFrame)));
    }
    return left;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Makes a spool under its new chunk name from the pieces of all machines. Its rows have the same order on each machine.
 * Returns the name; null if there is no row.
 */
async function gatherPieces(copy: WorkingCopy, target: PartTarget, spool: string): Promise<string | null> {
  // Rows that only this machine has get into a piece first.
  const own = await Spool.open(spool, copy);
  await own.give();
  await own.close();
  const pieces = await listPieces(copy, spool);
  if (pieces.length === 0) return null;
  const left = nameOf(target, sha256(pieces.map((key) => path.basename(key)).join('\n')));
  const known = await landedBefore(target, left);
  const fresh = (await readPieces(copy, pieces)).filter(({ facts }) => known?.has(keyOf(facts)) !== true);
  const moved = spoolFile(runFolder(target), left);
  await rm(moved, { force: true });
  await writeFileOnce(moved, Buffer.concat(fresh.flatMap(encodeFrame)));
  return left;
}

function nameOf({ chunk }: PartTarget, hash: string): string {
  return `${LEFT}${hash.slice(0, 8)}-${chunk}`;
}

/**
 * Returns the keys of the rows that other parts of the chunk hold; null if there are none. A machine that was away may
 * still have the spool of a chunk whose rows another machine has landed.
 * @param left name under which the spool's rows land; `landSpool` itself skips the rows of these parts
 */
async function landedBefore(target: PartTarget, left: string): Promise<ReadonlySet<string> | null> {
  const { data, stream, run } = target;
  await pullManifests(data, { streams: [stream], run: target });
  const isOther = (part: string): boolean => {
    const name = manifestName(part)
      .replace(/^part-/, '')
      .replace(/\.json$/, '')
      .replace(/\.row\d+$/, '');
    return name !== left && name.replace(/^left-[0-9a-f]{8}-/, '') === target.chunk;
  };
  const parts = readManifests(data.dataDir, { stream, run }).filter(
    ({ part, replaces = [] }) => isOther(part) || replaces.some((replaced) => isOther(replaced.part)),
  );
  if (parts.length === 0) return null;
  await pullParts(data, parts);
  return new Set(parts.flatMap(readPartRows).map(keyOf));
}

/** Identifies a row of a chunk: the request, and when its answer came. */
function keyOf({ request_key, entity_id, row_kind, fetched_at }: Frame['facts']): string {
  return JSON.stringify([request_key, entity_id, row_kind, fetched_at]);
}

/** Lists the chunks of a run's folder that have a spool, here or in the bucket. */
async function spooled(data: Data, folder: string): Promise<string[]> {
  const spools = spoolsDir(folder);
  const here = existsSync(spools) ? readdirSync(spools) : [];
  const there = await data.listGiven(spools);
  const given = there.map(({ file }) => path.basename(path.dirname(file)).replace(/\.pieces$/, ''));
  for (const name of here) requireNoOldSpool(path.join(spools, name.replace(/\.ndjson$/, '.spool')));
  const chunks = [...here, ...given].flatMap((name) => chunkOfSpool(name) ?? []);
  return [...new Set(chunks)].toSorted();
}
