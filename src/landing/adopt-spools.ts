import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { runFolder } from '../core/data-folder.js';
import { LandingStream, RECORD_STREAMS } from '../../schemas/pipeline/landing.js';
import { landSpool } from './land-spool.js';
import { finishListing } from './listing-writer.js';
import { PartWriter } from './part-writer.js';
import { spoolFile, spoolsDir, type PartTarget } from './paths.js';
import { piecesDir, removeSpool } from './pieces.js';
import { Spool } from './spool.js';
import { workingCopyOf } from '../working-copy/open.js';
import type { WorkingCopy } from '../working-copy/working-copy.js';

// Streams that must land completely or not at all, because half a list would look like the whole list. A later run
// reads these lists from their start.
const WHOLE_OR_NOT: ReadonlySet<string> = new Set(['tenders', 'watched_companies', 'nomenclatures']);

const LEFT = 'left-';

/**
 * Lands the spools that the chunks of an ending run left, so that no answered request is sent again. Removes the spools
 * of incomplete listings, and of incomplete records about the run itself.
 */
export async function adoptSpools(run: {
  dataDir: string;
  run: string;
  date: string;
  market: string | null;
}): Promise<void> {
  const copy = workingCopyOf(run.dataDir);
  for (const stream of LandingStream.options) {
    const folder = runFolder({ ...run, stream });
    // A listing may have been read to its end, but not committed completely. Then commit its remaining parts.
    if (WHOLE_OR_NOT.has(stream)) await finishListing({ ...run, stream, chunk: stream });
    for (const chunk of await spooled(run.dataDir, folder)) {
      const spool = spoolFile(folder, chunk);
      if (RECORD_STREAMS.has(stream) || WHOLE_OR_NOT.has(stream)) {
        await removeSpool(run.dataDir, spool);
        continue;
      }
      if (copy !== undefined) {
        await adoptGiven(copy, { ...run, stream, chunk });
        continue;
      }
      // The chunk is not complete. If somebody resets the workflow, the run continues and can still write a part with
      // the chunk's own name. So land these rows under another chunk name.
      const left = chunk.startsWith(LEFT) ? chunk : `${LEFT}${randomUUID().slice(0, 8)}-${chunk}`;
      await rename(spool, spoolFile(folder, left));
      await landSpool({ ...run, stream, chunk: left });
    }
  }
}

/**
 * Lands the rows of a spool that several machines may have written. The name of the chunk depends only on its pieces. So
 * if this is interrupted, the next call lands nothing twice.
 */
async function adoptGiven(copy: WorkingCopy, target: PartTarget): Promise<void> {
  const folder = runFolder(target);
  const spool = spoolFile(folder, target.chunk);
  if ((await PartWriter.committed(target)) === undefined) {
    // Rows that only this machine has get into a piece first.
    const lines = await Spool.open(spool, copy);
    await lines.give();
    await lines.close();
    const pieces = (await copy.list(piecesDir(spool))).map(({ file }) => path.basename(file));
    if (pieces.length > 0) {
      const name = createHash('sha256').update(pieces.join('\n')).digest('hex').slice(0, 8);
      const left = target.chunk.startsWith(LEFT) ? target.chunk : `${LEFT}${name}-${target.chunk}`;
      if (left !== target.chunk) await rename(spool, spoolFile(folder, left));
      await landSpool({ ...target, chunk: left });
    }
  }
  await removeSpool(copy.dataDir, spool);
}

/** Lists the chunks of a run's folder that have a spool, here or in the bucket. */
async function spooled(dataDir: string, folder: string): Promise<string[]> {
  const spools = spoolsDir(folder);
  const here = existsSync(spools) ? readdirSync(spools) : [];
  const there = (await workingCopyOf(dataDir)?.list(spools)) ?? [];
  const given = there.map(({ file }) => path.basename(path.dirname(file)).replace(/\.pieces$/, ''));
  const chunks = [...here, ...given].flatMap((name) => /^part-(.+)\.ndjson$/.exec(name)?.[1] ?? []);
  return [...new Set(chunks)].toSorted();
}
