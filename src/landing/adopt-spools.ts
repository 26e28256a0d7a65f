import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { runFolder } from '../core/data-folder.js';
import { LandingStream, RECORD_STREAMS } from '../../schemas/pipeline/landing.js';
import { landSpool } from './land-spool.js';
import { finishListing } from './listing-writer.js';
import { spoolFile, spoolsDir } from './paths.js';

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
  for (const stream of LandingStream.options) {
    const folder = runFolder({ ...run, stream });
    // A listing may have been read to its end, but not committed completely. Then commit its remaining parts.
    if (WHOLE_OR_NOT.has(stream)) await finishListing({ ...run, stream, chunk: stream });
    for (const chunk of spooled(folder)) {
      const spool = spoolFile(folder, chunk);
      if (RECORD_STREAMS.has(stream) || WHOLE_OR_NOT.has(stream)) {
        await rm(spool, { force: true });
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

function spooled(folder: string): string[] {
  const spools = spoolsDir(folder);
  if (!existsSync(spools)) return [];
  return readdirSync(spools).flatMap((name) => /^part-(.+)\.ndjson$/.exec(name)?.[1] ?? []);
}
