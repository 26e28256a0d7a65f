import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runFolder } from '../store/data-folder.js';
import { LandingStream, RECORD_STREAMS } from '../../schemas/streams/landing-streams.js';
import { landFrames } from './land-spool.js';
import { finishListing } from './listing-writer.js';
import { findReplacing } from './manifest.js';
import { PartWriter } from './part-writer.js';
import { chunkOfSpool, spoolFile, spoolsDir, type PartTarget } from './paths.js';
import { chunkOfPiece, readAllPieces, refuseOld, removeSpool } from './pieces.js';
import { readSpool } from './spool.js';
import { namesIn } from '../store/files.js';
import type { Data } from '../store/data.js';

// Streams that must land completely or not at all, because half a list would look like the whole list. A later run
// reads these lists from their start.
const WHOLE_OR_NOT: ReadonlySet<string> = new Set(['tenders', 'watched_companies']);

/**
 * Lands the spools that the chunks of an ended run left, so that no answered request is sent again. Removes the spools
 * of incomplete listings, and of incomplete records about the run itself. If this is interrupted, or runs in several
 * processes at the same time, each row still lands once.
 * @returns the number of rows of the spools that this call has landed
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

/** Lands the rows of a spool, unless the chunk is complete: then its part holds all of them. Then removes the spool. */
async function adopt(target: PartTarget): Promise<number> {
  const { data } = target;
  const spool = spoolFile(runFolder(target), target.chunk);
  if (await isCommitted(target)) {
    await removeSpool(data, spool);
    return 0;
  }
  const { frames, read } = data.isShared() ? await readAllPieces(data, spool) : { frames: [], read: [] };
  const rows = await landFrames(target, [...readSpool(spool), ...frames], { isOpen: true });
  await data.all(read, async (key) => data.storage?.remove(key));
  await rm(spool, { force: true });
  return rows;
}

async function isCommitted(target: PartTarget): Promise<boolean> {
  return (
    (await PartWriter.committed(target)) !== undefined || findReplacing(runFolder(target), target.chunk) !== undefined
  );
}

/**
 * Lists the chunks of a run's folder that have a spool, here or in the bucket.
 * @throws TidemarkError `LandingCorrupt` for a spool of version 1.0.0-rc.1, which this version cannot read
 */
async function spooled(data: Data, folder: string): Promise<string[]> {
  const spools = spoolsDir(folder);
  const here = namesIn(spools);
  const there = await data.listGiven(spools);
  for (const file of [...here.map((name) => path.join(spools, name)), ...there.map((one) => one.file)]) refuseOld(file);
  const chunks = [...here.map(chunkOfSpool), ...there.map(({ file }) => chunkOfPiece(file))].filter(
    (chunk) => chunk !== undefined,
  );
  return [...new Set(chunks)].toSorted();
}
